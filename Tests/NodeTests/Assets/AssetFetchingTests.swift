import KairanInterface
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `An asset at another node` {
    private static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private static let place = AssetPlace(zone: "photos", record: "lake", field: "picture")

    /// Two nodes of one account with a zone, and the policy of the second.
    private static func pair(
        _ nodes: Neighbourhood,
        policy: AssetPolicyChoice?
    ) async throws -> (desk: RunningNode, lap: RunningNode) {
        let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
        try await NodeTests.pair(desk, lap)
        try await desk.makeZone("photos")
        try await lap.until("the zone is there") { try await $0.zones.zoneIfKnown("photos") != nil }
        if let policy {
            let set = try await lap.node.assets.setPolicy(policy, zone: "photos")
            #expect(set == AssetPolicyView(policy: policy, isDefault: false))
        }
        return (desk, lap)
    }

    private static func untilNamed(_ lap: RunningNode) async throws {
        try await lap.until("the record is there") {
            try await $0.records.field("picture", of: "lake", in: "photos") != nil
        }
    }

    @Test func `comes by itself by default, and is reported to watchers`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes, policy: nil)
            let policy = try await lap.node.assets.policy(zone: "photos")
            #expect(policy == AssetPolicyView(policy: .always, isDefault: true))
            let unkept = try await lap.node.assets.setKeptAtRelays(false, zone: "photos")
            #expect(unkept == AssetPolicyView(policy: .always, isDefault: true, isKeptAtRelays: false))
            #expect(try await lap.node.assets.policy(zone: "photos") == unkept)
            let events = try await lap.node.feed.events(zone: "photos", since: nil)
            let asset = try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            for await event in events {
                guard case .asset(let told) = event else { continue }
                #expect(told.asset == asset && (0...100).contains(told.percent))
                if told.state == .present { break }
            }
            #expect(try await lap.readAsset("lake", in: "photos") == Self.bytes)
        }
    }

    @Test func `is fetched while it is read, where the policy is on demand`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes, policy: .onDemand)
            let asset = try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            try await Self.untilNamed(lap)
            #expect(try await lap.asset("lake", in: "photos").state == .remote)
            let why = try await lap.node.assets.explain(asset.text, asksHolders: false)
            #expect(why.state == .remote && why.reasons.count == 1 && why.fix.contains("asset fetch"))
            let end = try await lap.node.assets.content(Self.place, from: 2_999_999, waitMilliseconds: 240_000)
            #expect(end.bytes == Self.bytes.suffix(1))
            #expect(try await lap.readAsset("lake", in: "photos", waitMilliseconds: 240_000) == Self.bytes)
            try await lap.until("all of it is there") { node in
                try await node.assets.asset(Self.place).state == .present
            }
        }
    }

    @Test func `is fetched on request, and given up`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes, policy: .upTo(1_000))
            try await desk.putAsset([1, 2, 3], as: "small", in: "photos")
            try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            try await Self.untilNamed(lap)
            try await lap.until("the small one is there") { node in
                let place = AssetPlace(zone: "photos", record: "small", field: "picture")
                return try await node.assets.asset(place).state == .present
            }
            #expect(try await lap.asset("lake", in: "photos").state == .remote)
            #expect(try await lap.node.assets.fetch(Self.place).state != .remote)
            try await lap.until("all of it is there") { node in
                try await node.assets.asset(Self.place).state == .present
            }
            #expect(try await lap.node.assets.cancelFetch(Self.place).state == .present)
            #expect(try await lap.node.assets.fetch(Self.place).state == .present)
        }
    }

    @Test func `is never fetched where the policy is so`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes, policy: .never)
            try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            try await Self.untilNamed(lap)
            try await expectRefusal(.assetNotWanted) {
                try await lap.node.assets.content(Self.place, from: 0, waitMilliseconds: 240_000)
            }
            try await expectRefusal(.assetNotWanted) { try await lap.node.assets.fetch(Self.place) }
            #expect(try await lap.node.assets.setPolicy(nil, zone: "photos").isDefault)
            #expect(try await lap.readAsset("lake", in: "photos", waitMilliseconds: 240_000) == Self.bytes)
        }
    }

    @Test func `is unavailable while no device that has it is connected`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes, policy: .onDemand)
            try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            try await Self.untilNamed(lap)
            try await nodes.stop(desk)
            try await lap.untilDisconnected(from: desk)
            try await expectRefusal(.assetUnavailable) {
                try await lap.node.assets.content(Self.place, from: 0, waitMilliseconds: 0)
            }
            // It gives up long before the time that the caller would wait.
            do throws(NodeError) {
                _ = try await lap.node.assets.content(Self.place, from: 0, waitMilliseconds: 300_000)
                Issue.record("there was content")
            } catch {
                #expect(error.code == .assetUnavailable && error.facts == [.state("unresolved")])
            }
            #expect(try await lap.asset("lake", in: "photos").state == .unresolved)
        }
    }

    @Test func `has no wait any more when its reader has left`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes, policy: .onDemand)
            try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            try await Self.untilNamed(lap)
            try await nodes.stop(desk)
            await withTaskGroup(of: NodeError.Code?.self) { group in
                group.addTask {
                    do throws(NodeError) {
                        _ = try await lap.node.assets.content(Self.place, from: 0, waitMilliseconds: 300_000)
                        return nil
                    } catch {
                        return error.code
                    }
                }
                group.cancelAll()
                let code = await group.next() ?? nil
                #expect(code == .assetUnavailable || code == .notReady)
            }
        }
    }
}
