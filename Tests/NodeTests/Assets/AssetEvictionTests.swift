import KairanInterface
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `The content of an asset that is evicted` {
    private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private static let place = AssetPlace(zone: "photos", record: "lake", field: "picture")

    /// Two nodes of one account that both have a content.
    private static func pair(_ nodes: Neighbourhood) async throws -> (desk: RunningNode, lap: RunningNode) {
        let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
        try await NodeTests.pair(desk, lap)
        try await desk.makeZone("photos")
        try await lap.until("the zone is there") { try await $0.zones.zoneIfKnown("photos") != nil }
        try await desk.putAsset(bytes, as: "lake", in: "photos")
        try await lap.until("the record is there") {
            try await $0.records.field("picture", of: "lake", in: "photos") != nil
        }
        try await lap.until("all of it is there") { try await $0.assets.asset(place).state == .present }
        return (desk, lap)
    }

    private static func evict(_ node: RunningNode, copies: Int = 1) async throws(NodeError) -> AssetEvictionView {
        try await node.node.assets.evict(place, copies: copies, countsOthers: false)
    }

    @Test func `is kept by the other device, comes back when it is read, and leaves no byte here`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes)
            let asset = try await lap.asset("lake", in: "photos").asset
            let known = try await lap.node.assets.explain(asset.text, asksHolders: true)
            #expect(known.holders?.map(\.answer) == [.held] && known.promisedUntil == nil)
            let eviction = try await Self.evict(lap)
            #expect(eviction.state == .evicted && eviction.freedByteCount == UInt64(Self.bytes.count))
            #expect(eviction.holders.map(\.answer) == [.promised] && eviction.holders[0].until != nil)
            #expect(try await lap.asset("lake", in: "photos").state == .evicted)
            let why = try await desk.node.assets.explain(asset.text, asksHolders: true)
            #expect(why.promisedUntil != nil && why.holders?.map(\.answer) == [.absent])
            // It is bound now; and the one without the content has nothing to drop.
            try await expectRefusal(.assetPromised) { try await Self.evict(desk) }
            let again = try await Self.evict(lap)
            #expect(again.state == .evicted && again.freedByteCount == 0 && again.holders.isEmpty)
            #expect(try await lap.readAsset("lake", in: "photos", waitMilliseconds: 240_000) == Self.bytes)
            try await lap.until("all of it is there again") {
                try await $0.assets.asset(Self.place).state == .present
            }
        }
    }

    @Test func `is listed with the devices that are known to have it, also when they are off`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes)
            let asset = try await lap.asset("lake", in: "photos")
            #expect(asset.copies?.relayCount == 0)
            _ = try await lap.node.assets.explain(asset.asset.text, asksHolders: true)
            // The answer is stored before anything that is written now.
            try await lap.put("shore", in: "photos", text: "sand")
            #expect(try await lap.asset("lake", in: "photos").copies?.machineCount == 2)
            try await nodes.stop(desk)
            try await lap.untilDisconnected(from: desk)
            let listed = try await lap.node.assets.assets(zone: "photos", after: nil, limit: 10).assets
            #expect(listed.map { $0.copies?.machineCount } == [2])
            let why = try await lap.node.assets.explain(asset.asset.text, asksHolders: true)
            #expect(why.holders == [] && why.copies?.holders.count == 1 && why.copies?.machineCount == 2)
        }
    }

    @Test func `stays where too few devices promise to keep it`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await Self.pair(nodes)
            do throws(NodeError) {
                _ = try await Self.evict(lap, copies: 2)
                Issue.record("it was evicted")
            } catch {
                #expect(error.code == .assetNotSafe && error.message.contains("1 device has promised"))
                guard case .holders(let holders)? = error.facts.first else {
                    Issue.record("\(error.facts)")
                    return
                }
                #expect(holders.map(\.answer) == [.promised])
            }
            try await nodes.stop(desk)
            try await lap.untilDisconnected(from: desk)
            try await expectRefusal(.assetNotSafe) { try await Self.evict(lap) }
            try await expectRefusal(.invalidArgument) { try await Self.evict(lap, copies: 0) }
            try await expectRefusal(.invalidArgument) { try await Self.evict(lap, copies: 65) }
            #expect(try await lap.readAsset("lake", in: "photos") == Self.bytes)
            let asset = try await lap.asset("lake", in: "photos").asset
            let why = try await lap.node.assets.explain(asset.text, asksHolders: true)
            #expect(why.holders == [] && why.state == .present)
        }
    }

    @Test func `stays while a program reads it`() async throws {
        try await withNodes { nodes in
            let (_, lap) = try await Self.pair(nodes)
            let part = try await lap.node.assets.content(Self.place, from: 0, waitMilliseconds: 0)
            #expect(!part.bytes.isEmpty)
            try await expectRefusal(.assetBusy) { try await Self.evict(lap) }
            #expect(try await lap.asset("lake", in: "photos").state == .present)
        }
    }
}
