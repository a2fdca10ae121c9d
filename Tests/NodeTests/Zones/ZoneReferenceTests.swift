import KairanInterface
import Identity
import Records
import Sync
import Testing
import Wire

@testable import Node

/// The ways in which a program names a zone, where other accounts choose the names of theirs.
@Suite(.timeLimit(.minutes(5))) struct `A zone's reference` {
    private static let container = "org.example.bank"

    /// Makes a zone as a program would that refuses no name.
    private func forge(
        _ name: String,
        container: String = container,
        by node: RunningNode
    ) async throws -> ZoneID {
        let genesis = ZoneGenesis(
            owner: node.node.identity.account,
            container: container,
            name: name,
            salt: Array(repeating: 3, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        try await node.change { committer, _, transaction in
            try ZoneLifecycle(committer).create(genesis, in: &transaction).notice
        }
        return ZoneID(genesis)
    }

    private func share(_ zone: ZoneID, of owner: RunningNode, with guest: RunningNode) async throws {
        await guest.node.sync.add(peers: [owner.address])
        let terms = ShareTerms(level: .write)
        let invite = try await owner.node.inviting.invite(zone: zone.text, terms: terms, limits: InviteLimits())
        try await guest.join(invite.invite.link)
        try await guest.until("the zone is there") { try await $0.zones.zoneIfKnown(zone.text)?.rights != nil }
    }

    @Test func `with a container names no zone of another account, whatever that is called`() async throws {
        try await withNodes { nodes in
            let (desk, mallory) = (try await nodes.start("desk"), try await nodes.start("mallory"))
            let slashed = try await forge(Self.container + "/default", container: "evil", by: mallory)
            let same = try await forge("default", by: mallory)
            let hidden = try await forge("\u{301}default", by: mallory)
            for zone in [slashed, same, hidden] { try await share(zone, of: mallory, with: desk) }

            // Before there is an own one, a write makes it.
            let path = Self.container + "/default"
            try await expectRefusal(.zoneUnknown) { try await desk.node.zones.zone(path) }
            try await desk.put("secret", in: path, text: "private")
            let own = try await desk.node.zones.zone(path)
            #expect(own.isOwn && own.kind == .default && own.container == Self.container)
            #expect(try await desk.names(in: path) == ["secret"])
            for zone in [slashed, same, hidden] { #expect(try await desk.names(in: zone.text).isEmpty) }

            // A name alone means all zones that have it.
            try await expectRefusal(.zoneAmbiguous) { try await desk.node.zones.zone("default") }
            // Zones whose names are not allowed here are named by their ids.
            #expect(try await desk.node.zones.zone(slashed.text).name == path)
            try await expectRefusal(.zoneUnknown) { try await desk.node.zones.zone("evil/" + path) }
            try await expectRefusal(.zoneUnknown) { try await desk.node.zones.zone(Self.container + "/\u{301}default") }
        }
    }

    @Test func `that is a name of an own zone and of another one is ambiguous, and the error shows the remedy`()
        async throws
    {
        try await withNodes { nodes in
            let (desk, mallory) = (try await nodes.start("desk"), try await nodes.start("mallory"))
            let own = try await desk.node.zones.createZone(name: "plans", container: Self.container, history: .full)
                .zone
            let foreign = try await forge("plans", by: mallory)
            try await share(foreign, of: mallory, with: desk)
            do {
                _ = try await desk.node.zones.zone("plans")
                Issue.record("the name was taken for one of them")
            } catch let error as NodeError {
                #expect(error.code == .zoneAmbiguous)
                #expect(error.facts == [.zones([own, foreign].sorted().map(\.text))])
                #expect(error.message.contains(Self.container + "/plans") && error.message.contains(foreign.text))
            }
            #expect(try await desk.node.zones.zone(Self.container + "/plans").zone == own)
            // Once the own one is gone, its path means nothing, and not the other one.
            try await desk.node.zones.deleteZone(own.text)
            do {
                try await desk.put("r", in: Self.container + "/plans", text: "x")
                Issue.record("the path was taken for the zone of another account")
            } catch let error as NodeError {
                #expect(error.code == .zoneUnknown && error.facts == [.zones([foreign.text])])
            }
        }
    }

    @Test func `with a container names no zone that was transferred to this account either`() async throws {
        try await withNodes { nodes in
            let clock = TurnedClock()
            let (desk, mallory) = (try await nodes.start("desk"), try await nodes.start("mallory", clock: clock.clock))
            let zone = try await forge("default", by: mallory)
            try await share(zone, of: mallory, with: desk)
            let account = desk.node.identity.account
            try await mallory.change { committer, _, transaction in
                try ZoneTransfers(committer).offer(zone, to: account, keeping: .write, in: &transaction)
            }
            try await desk.until("it is offered") { try await $0.sharing.share(of: zone.text).transfer != nil }
            _ = try await desk.node.transfers.answerTransfer(of: zone.text, accepting: true)
            try await mallory.until("it is accepted") {
                try await $0.sharing.share(of: zone.text).transfer?.state == .accepted
            }
            clock.advance(by: ZoneTransfers.waitMilliseconds)
            await mallory.node.maintenance.work()
            try await desk.until("it is this account's") { try await $0.zones.zone(zone.text).isOwn }
            try await desk.put("secret", in: Self.container + "/default", text: "private")
            #expect(try await desk.names(in: zone.text).isEmpty)
        }
    }

    @Test func `in the form of an id is an id only`() async throws {
        try await withNodes { nodes in
            let (desk, mallory) = (try await nodes.start("desk"), try await nodes.start("mallory"))
            let gone = ZoneID(Digest32(Array(repeating: 7, count: 32)) ?? .zero)
            let forged = try await forge(gone.text, by: mallory)
            try await share(forged, of: mallory, with: desk)
            try await expectRefusal(.zoneUnknown) { try await desk.node.zones.zone(gone.text) }
            #expect(try await desk.node.zones.zone(forged.text).name == gone.text)
        }
    }

    @Test func `may be the beginning of its id, and is not clear where a zone is called so as well`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let zone = try await desk.makeZone("notes")
            let part = String(zone.text.prefix(8))
            #expect(try await desk.node.zones.zone(part.uppercased()).zone == zone)
            try await expectRefusal(.zoneUnknown) { try await desk.node.zones.zone(String(part.prefix(7))) }
            _ = try await forge(part, by: desk)
            try await expectRefusal(.zoneAmbiguous) { try await desk.node.zones.zone(part) }
            #expect(try await desk.node.zones.zone(zone.text).zone == zone)
        }
    }

    @Test(arguments: [
        ("a/b", "org.a"), ("..", "org.a"), (".", "org.a"), ("...", "org.a"), ("a\u{202E}b", "org.a"),
        ("a\u{0}", "org.a"),
        ("", "org.a"), (String(repeating: "x", count: 256), "org.a"), (String(repeating: "a", count: 52), "org.a"),
        ("a", "bad name"), ("a", "org/a"), ("a", ".."), ("a", "org..a"), ("a", ".org"), ("a", "org."), ("a", ""),
        ("a", "orgé"),
        ("a", "kairan.x"), ("a", String(repeating: "x", count: 256)),
    ])
    func `is not made out of a name that reads as something else`(name: String, container: String) async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await expectRefusal(.invalidArgument) {
                try await desk.node.zones.createZone(name: name, container: container, history: .full)
            }
            let account = String(repeating: "a", count: 51) + "q"
            try await expectRefusal(.invalidArgument) {
                try await desk.node.zones.pairZone(name: name, container: container, with: account)
            }
        }
    }
}
