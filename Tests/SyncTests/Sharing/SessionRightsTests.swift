import Capabilities
import Identity
import Records
import Testing
import Wire

@testable import Sync

/// The laws that the fuzzer of the synchronisation core checks on sessions between accounts, each as one story.
@Suite("Sessions of other accounts while rights change")
struct SessionRightsTests {
    @Test func `a session ends its sharing when the grant turns out to be void`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        let held = try desk.neighbours.positions(of: 1, in: zone, on: 0)
        _ = try desk.neighbours.grant(.write, to: 1, by: 1, zone: zone)
        try desk.neighbours.exchange(zone)
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        desk.open(2)
        #expect(!desk.listed(2).isEmpty)
        // The removal was made by a device that did not know of the grant.
        let entry = try desk.neighbours.logs[0].removingDevice(
            desk.neighbours.homes[1].keys.deviceID,
            witness: desk.neighbours.homes[0].keys.deviceID,
            signer: .device(desk.neighbours.homes[0].keys),
            using: &desk.neighbours.random
        )
        try desk.neighbours.logs[0].insert(entry.encoded)
        let said = DeviceCuts(devices: [desk.neighbours.homes[1].keys.deviceID], cuts: held)
        try desk.neighbours.change(0) { _ = try ControlStatements($0).say(.deviceCuts(said), zone: zone, in: &$2) }
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        #expect(desk.listed(2).isEmpty)
        let state = ZoneState(
            zone: zone,
            genesis: try #require(try desk.neighbours.homes[0].store.zone(zone)).genesis,
            logs: [],
            checkpoint: .zero,
            wantsReply: true
        )
        #expect(desk.hear(2, .zoneState(state)).messages(to: 2).isEmpty)
    }

    @Test func `a right that ends by the clock alone ends for comparisons too, and one that begins begins`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        let wall = desk.neighbours.homes[0].wall
        let caveats = Caveats(notBefore: wall + 1_000, expires: wall + 2_000)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: caveats, zone: zone)
        try desk.neighbours.write("a", "alice", on: 0, zone: zone)
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        let snapshot = try #require(desk.core.replication.rights.zones[zone])
        desk.open(2)
        #expect(desk.listed(2) == [snapshot.controlOnly.state])
        desk.neighbours.homes[0].wall = wall + 1_000
        #expect(desk.listed(2) == [snapshot.state])
        desk.neighbours.homes[0].wall = wall + 2_000
        #expect(desk.listed(2) == [snapshot.controlOnly.state])
    }

    @Test func `records written without a right are sent only to a peer that still decides`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 2)
        let admin = try desk.neighbours.grant(.admin, to: 2, by: 2, zone: zone)
        let right = try desk.neighbours.grant(.write, to: 0, by: 2, zone: zone)
        try desk.neighbours.exchange(zone)
        try desk.neighbours.change(2) { try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        try desk.neighbours.exchange(zone)
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        // A device uploads its own logs alone.
        var head = Sample.signedHead(1, size: 3).head
        head.device = desk.core.replication.rights.localDevice
        let run = Run(
            signedHead: SignedTreeHead(head, signature: Sample.signedHead(1, size: 3).signature),
            from: 0,
            checkpoint: .zero,
            items: []
        )
        #expect(desk.open(3).contains { if case .read(.deposits(3, zone, nil)) = $0 { true } else { false } })
        // Carol has no right to decide any more when the store answers.
        try desk.neighbours.change(2) { try ZoneSharing($0).revoke([admin], zone: zone, reason: "out", in: &$2) }
        try desk.neighbours.exchange(zone)
        try desk.tellRights(zone)
        #expect(desk.feed(.depositsRead(3, zone, [run])).messages(to: 3).isEmpty)
        #expect(desk.open(2).contains { if case .read(.deposits(2, zone, nil)) = $0 { true } else { false } })
        #expect(desk.feed(.depositsRead(2, zone, [run])).messages(to: 2) == [.run(run)])
    }

    @Test func `a run whose sender has lost its access to the zone is not answered`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        let key = LogKey(zone: zone, actor: Sample.actor(1), lane: .data)
        let proof = ForkProof(Sample.signedHead(1, size: 3), Sample.signedHead(1, size: 4))
        desk.open(2)
        for outcome in [RunOutcome.unwanted(size: 7), .forkKnown(proof, size: 7)] {
            #expect(desk.feed(.runApplied(2, key, outcome)).messages(to: 2).isEmpty)
        }
        desk.open(1)
        #expect(desk.feed(.runApplied(1, key, .unwanted(size: 7))).messages(to: 1).count == 1)
    }

    @Test func `unknown heads and zones from a device of our own are not kept`() throws {
        var desk = try Desk()
        desk.open(1)
        for number in 0..<100 {
            let stranger = AccountID(Digest32(word0: 7, word1: UInt64(number), word2: 0, word3: 0))
            desk.hear(1, .accountHave(AccountHave(account: stranger, heads: [.zero], wantsReply: true)))
            let genesis = ZoneGenesis(
                owner: stranger,
                container: "org.example",
                name: "z",
                salt: [UInt8](repeating: 1, count: ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            let state = ZoneState(
                zone: ZoneID(genesis),
                genesis: genesis,
                logs: [],
                checkpoint: .zero,
                wantsReply: true
            )
            #expect(desk.hear(1, .zoneState(state)).messages(to: 1).isEmpty)
        }
        let session = try #require(desk.core.replication.sessions[1])
        #expect(session.accounts.heads.count == 1)
        #expect(session.sending.zones.isEmpty)
    }
}
