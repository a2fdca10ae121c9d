import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Sharing a zone")
struct SharingTests {
    /// Alice (devices 0, 1) owns the zone, Bob (2) and Carol (3) may do something in it.
    private func shared(
        _ level: AccessLevel = .write,
        caveats: Caveats = Caveats(),
        canDelegate: Bool = false
    ) throws -> (Neighbours, ZoneID, Hash) {
        var neighbours = try Neighbours([2, 1, 1])
        let zone = try neighbours.zone(of: 0)
        let capability = try neighbours.grant(
            level,
            to: 1,
            by: 0,
            caveats: caveats,
            canDelegate: canDelegate,
            zone: zone
        )
        try neighbours.exchange(zone)
        return (neighbours, zone, capability)
    }

    @Test func `a grantee writes under its capability, and all replicas show the record`() throws {
        var (neighbours, zone, capability) = try shared()
        #expect(try neighbours.write("a", "bob", on: 2, zone: zone) == nil)
        try neighbours.exchange(zone)
        for index in 0..<3 { #expect(try neighbours.text("a", on: index, zone: zone) == "bob") }
        let logs = try neighbours.homes[0].store.logs(zone: zone).filter { $0.key.lane == .data }
        #expect(logs.map(\.right) == [capability])
        #expect(try neighbours.write("a", "alice", on: 1, zone: zone) == nil)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 2, zone: zone) == "alice")
        #expect(try neighbours.digests(zone, of: [0, 1, 2]).count == 1)
    }

    @Test func `an account without a right cannot write`() throws {
        var (neighbours, zone, _) = try shared()
        #expect(throws: CommitError.self) { try neighbours.write("a", "carol", on: 3, zone: zone) }
    }

    @Test func `sharing again gives the same capability`() throws {
        var (neighbours, zone, capability) = try shared()
        #expect(try neighbours.grant(.write, to: 1, by: 0, zone: zone) == capability)
        #expect(try neighbours.grant(.read, to: 1, by: 0, zone: zone) != capability)
    }

    @Test func `an account with append rights changes no record of others, locally and on deceived replicas`() throws {
        var (neighbours, zone, _) = try shared(.append)
        try neighbours.write("a", "alice", on: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("a", "bob", on: 2, zone: zone) == .notAllowed)
        #expect(try neighbours.delete("a", on: 2, zone: zone) == .notAllowed)
        #expect(try neighbours.write("b", "bob", on: 2, zone: zone) == nil)
        #expect(try neighbours.write("b", "bob again", on: 2, zone: zone) == nil)
        // A modified daemon writes anything.
        try neighbours.pretend(.owner, on: 2, zone: zone)
        #expect(try neighbours.write("a", "stolen", on: 2, zone: zone) == nil)
        #expect(try neighbours.write("c", "bob", on: 2, zone: zone) == nil)
        for index in [0, 1] {
            try neighbours.pull(zone, from: 2, to: index)
            #expect(try neighbours.text("a", on: index, zone: zone) == "alice")
            #expect(try neighbours.text("b", on: index, zone: zone) == "bob again")
            #expect(try neighbours.text("c", on: index, zone: zone) == "bob")
        }
        let tag = try RecordTag(of: "a", zone: zone, in: neighbours.homes[0].store)
        #expect(
            try neighbours.homes[0].store.operations(zone: zone, tags: [tag], states: [.void]).count == 1,
            "it is kept"
        )
        #expect(try neighbours.digests(zone, of: [0, 1, 2]).count == 1)
    }

    @Test func `a write outside of its author's right can be adopted by an account that may write it`() throws {
        var (neighbours, zone, _) = try shared(.append)
        try neighbours.write("a", "alice", on: 0, zone: zone)
        try neighbours.exchange(zone)
        try neighbours.pretend(.owner, on: 2, zone: zone)
        try neighbours.write("a", "bob", on: 2, zone: zone)
        for index in [0, 1, 3] { try neighbours.pull(zone, from: 2, to: index) }
        let found = try Quarantine(of: zone).entries(limit: 9, in: neighbours.homes[0].store)
        #expect(found.map(\.reason) == [.outOfRight] && found.map(\.name) == ["a"])
        let dot = try #require(found.first?.dot)
        #expect(throws: QuarantineRefusal.needed(dot)) {
            try neighbours.change(0) { _ = try QuarantineDecisions($0).purge(dot, zone: zone, in: &$2) }
        }
        #expect(try neighbours.change(0) { try QuarantineDecisions($0).adopt(dot, zone: zone, in: &$2).reply })
        #expect(try neighbours.change(1) { try QuarantineDecisions($0).adopt(dot, zone: zone, in: &$2).reply })
        try neighbours.exchange(zone, among: [0, 1])
        for index in [0, 1] {
            #expect(try neighbours.text("a", on: index, zone: zone) == "bob")
            #expect(try Quarantine(of: zone).entries(limit: 9, in: neighbours.homes[index].store).isEmpty)
            #expect(try !neighbours.change(index) { try QuarantineDecisions($0).adopt(dot, zone: zone, in: &$2).reply })
        }
        #expect(try neighbours.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `types and names limit writes`() throws {
        let caveats = Caveats(recordTypes: ["note"], namePrefix: "bob/")
        var (neighbours, zone, _) = try shared(caveats: caveats)
        #expect(try neighbours.write("bob/a", "x", on: 2, zone: zone) == nil)
        #expect(try neighbours.write("a", "x", on: 2, zone: zone) == .notAllowed)
        #expect(try neighbours.write("bob/b", "x", type: "task", on: 2, zone: zone) == .notAllowed)
    }

    @Test func `a revocation keeps the operations that its author holds, and none that it did not know`() throws {
        var (neighbours, zone, capability) = try shared()
        try neighbours.write("a", "bob", on: 2, zone: zone)
        try neighbours.exchange(zone)
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([capability], zone: zone, reason: "out", in: &$2) }
        // Bob is cut off, and continues with a clock that is behind.
        neighbours.homes[2].wall -= 1_000_000_000
        #expect(try neighbours.write("a", "late", on: 2, zone: zone) == nil)
        #expect(try neighbours.write("b", "late", on: 2, zone: zone) == nil)
        #expect(throws: CommitError.self) { try neighbours.write("c", "x", on: 3, zone: zone) }
        // One device of Alice's meets Bob before it learns of the removal, the other one after.
        try neighbours.pull(zone, from: 2, to: 1)
        #expect(try neighbours.text("a", on: 1, zone: zone) == "late")
        try neighbours.exchange(zone)
        for index in 0..<3 {
            #expect(try neighbours.text("a", on: index, zone: zone) == "bob", "device \(index)")
            #expect(try neighbours.text("b", on: index, zone: zone) == nil, "device \(index)")
        }
        #expect(try neighbours.digests(zone, of: [0, 1, 2]).count == 1)
        #expect(throws: CommitError.self) { try neighbours.write("c", "x", on: 2, zone: zone) }
        // Another right, and he goes on in other logs.
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("a", "back", on: 2, zone: zone) == nil)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 0, zone: zone) == "back")
        #expect(try neighbours.digests(zone, of: [0, 1, 2]).count == 1)
    }

    @Test func `the owner may make more effective afterwards`() throws {
        var (neighbours, zone, capability) = try shared()
        try neighbours.write("a", "bob", on: 2, zone: zone)
        try neighbours.pull(zone, from: 2, to: 1)
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([capability], zone: zone, reason: "out", in: &$2) }
        try neighbours.pull(zone, from: 0, to: 1)
        #expect(try neighbours.text("a", on: 1, zone: zone) == nil)
        try neighbours.change(1) { _ = try ZoneSharing($0).raiseCut(of: capability, zone: zone, in: &$2) }
        try neighbours.exchange(zone)
        for index in 0..<3 { #expect(try neighbours.text("a", on: index, zone: zone) == "bob", "device \(index)") }
        #expect(try neighbours.digests(zone, of: [0, 1, 2]).count == 1)
    }

    @Test func `delegated rights end with the right that they came from`() throws {
        let caveats = Caveats(delegationDepth: 1)
        var (neighbours, zone, capability) = try shared(.admin, caveats: caveats, canDelegate: true)
        _ = try neighbours.grant(.write, to: 2, by: 2, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("a", "carol", on: 3, zone: zone) == nil)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 0, zone: zone) == "carol")
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([capability], zone: zone, reason: "", in: &$2) }
        try neighbours.exchange(zone)
        #expect(throws: CommitError.self) { try neighbours.write("a", "carol again", on: 3, zone: zone) }
        #expect(try neighbours.text("a", on: 1, zone: zone) == "carol", "it was held when the right ended")
        #expect(try neighbours.digests(zone, of: [0, 1, 2, 3]).count == 1)
    }

    @Test func `a revocation that keeps those below grants them the same rights anew`() throws {
        let caveats = Caveats(delegationDepth: 1)
        var (neighbours, zone, capability) = try shared(.admin, caveats: caveats, canDelegate: true)
        let narrow = Caveats(namePrefix: "carol/")
        let below = try neighbours.grant(.write, to: 2, by: 2, caveats: narrow, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("carol/a", "before", on: 3, zone: zone) == nil)
        try neighbours.exchange(zone)
        try neighbours.change(0) { committer, random, transaction in
            let regrants = try ZoneSharing(committer).regrants(
                below: [capability],
                zone: zone,
                random: &random,
                in: transaction
            )
            #expect(regrants.count == 1)
            _ = try ZoneSharing(committer).revoke(
                [capability],
                regranting: regrants,
                zone: zone,
                reason: "",
                in: &transaction
            )
        }
        try neighbours.exchange(zone)
        let state = try neighbours.change(3) { committer, _, transaction in
            try ZoneViews(committer).controlState(zone, in: transaction)
        }
        let carol = neighbours.account(2)
        let kept = try #require(state.participants[carol]?.capabilities.first)
        #expect(kept != below && state.participants.count == 1, "Bob is out, Carol has another capability")
        #expect(state.capabilities[kept]?.chain == [kept], "directly below the owner")
        #expect(state.capabilities[kept]?.capability.caveats == narrow)
        #expect(try neighbours.write("carol/a", "after", on: 3, zone: zone) == nil)
        #expect(try neighbours.write("a", "beyond", on: 3, zone: zone) == .notAllowed)
        #expect(throws: CommitError.self) { try neighbours.write("b", "bob", on: 2, zone: zone) }
        try neighbours.exchange(zone)
        for index in 0..<4 { #expect(try neighbours.text("carol/a", on: index, zone: zone) == "after") }
        #expect(try neighbours.digests(zone, of: [0, 1, 2, 3]).count == 1)
    }

    @Test func `descendants with the same right by another chain, or without it, are not granted it twice`() throws {
        let caveats = Caveats(delegationDepth: 1)
        var (neighbours, zone, capability) = try shared(.admin, caveats: caveats, canDelegate: true)
        _ = try neighbours.grant(.write, to: 2, by: 2, zone: zone)
        _ = try neighbours.grant(.write, to: 2, by: 0, zone: zone)
        let expired = Caveats(expires: 1)
        _ = try neighbours.grant(.read, to: 2, by: 2, caveats: expired, zone: zone)
        try neighbours.exchange(zone)
        let regrants = try neighbours.change(0) { committer, random, transaction in
            try ZoneSharing(committer).regrants(below: [capability], zone: zone, random: &random, in: transaction)
        }
        #expect(regrants.isEmpty)
    }

    @Test func `a right that had ended before is not granted anew with those below the one that ends`() throws {
        let caveats = Caveats(delegationDepth: 1)
        var (neighbours, zone, capability) = try shared(.admin, caveats: caveats, canDelegate: true)
        let carols = try neighbours.grant(.write, to: 2, by: 2, zone: zone)
        try neighbours.exchange(zone)
        try neighbours.change(2) { _ = try ZoneSharing($0).revoke([carols], zone: zone, reason: "out", in: &$2) }
        try neighbours.exchange(zone)
        let regrants = try neighbours.change(0) { committer, random, transaction in
            try ZoneSharing(committer).regrants(below: [capability], zone: zone, random: &random, in: transaction)
        }
        #expect(regrants.isEmpty)
    }

    @Test func `rights that do not descend from the one that ends are not granted anew`() throws {
        var neighbours = try Neighbours([1, 1, 1, 1])
        let zone = try neighbours.zone(of: 0)
        let administrators = try (1...2).map { account in
            let caveats = Caveats(delegationDepth: 1)
            return try neighbours.grant(.admin, to: account, by: 0, caveats: caveats, canDelegate: true, zone: zone)
        }
        try neighbours.exchange(zone)
        _ = try neighbours.grant(.write, to: 3, by: 2, zone: zone)
        try neighbours.exchange(zone)
        let regrants = try neighbours.change(0) { committer, random, transaction in
            try administrators.map {
                try ZoneSharing(committer).regrants(below: [$0], zone: zone, random: &random, in: transaction).count
            }
        }
        #expect(regrants == [0, 1])
    }

    @Test func `an administrator ends only rights that it granted`() throws {
        let caveats = Caveats(delegationDepth: 1)
        var (neighbours, zone, capability) = try shared(.admin, caveats: caveats, canDelegate: true)
        let carols = try neighbours.grant(.write, to: 2, by: 2, zone: zone)
        let others = try neighbours.grant(.read, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        for refused in [capability, others] {
            #expect(throws: CommitError.self) {
                try neighbours.change(2) { _ = try ZoneSharing($0).revoke([refused], zone: zone, reason: "", in: &$2) }
            }
        }
        try neighbours.change(2) { _ = try ZoneSharing($0).revoke([carols], zone: zone, reason: "", in: &$2) }
        try neighbours.exchange(zone)
        let state = try neighbours.controlState(zone, on: 0)
        #expect(state.participants[neighbours.account(2)]?.rights.level == .read)
    }

    @Test func `an account that left returns by a grant that knows of the leave, not by a concurrent one`()
        throws
    {
        var (neighbours, zone, _) = try shared()
        try neighbours.write("a", "before", on: 2, zone: zone)
        try neighbours.change(2) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        // One of Alice's devices widens the right before it learns of the leave.
        let meanwhile = try neighbours.grant(.admin, to: 1, by: 1, zone: zone)
        try neighbours.exchange(zone)
        for index in 0..<3 {
            let state = try neighbours.controlState(zone, on: index)
            #expect(state.participants[neighbours.account(1)] == nil)
            #expect(state.capabilities[meanwhile] != nil)
        }
        #expect(throws: CommitError.self) { try neighbours.write("a", "late", on: 2, zone: zone) }
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("a", "again", on: 2, zone: zone) == nil)
        try neighbours.exchange(zone)
        for index in 0..<3 { #expect(try neighbours.text("a", on: index, zone: zone) == "again") }
        #expect(try neighbours.digests(zone, of: [0, 1, 2]).count == 1)
    }

    @Test func `an account that leaves stays out, and its earlier writes remain effective`() throws {
        var (neighbours, zone, _) = try shared()
        try neighbours.write("a", "bob", on: 2, zone: zone)
        try neighbours.change(2) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        #expect(throws: CommitError.self) { try neighbours.write("b", "bob", on: 2, zone: zone) }
        try neighbours.exchange(zone)
        let state = try neighbours.controlState(zone, on: 0)
        #expect(state.participants.isEmpty)
        #expect(try neighbours.text("a", on: 1, zone: zone) == "bob")
        #expect(try neighbours.digests(zone, of: [0, 1, 2]).count == 1)
        #expect(throws: CommitError.self) { try neighbours.change(0) { _ = try ZoneSharing($0).leave(zone, in: &$2) } }
    }

    @Test func `a transferred zone is ruled by the new owner, and the old one writes under the right that it kept`()
        throws
    {
        var (neighbours, zone, _) = try shared()
        try neighbours.write("a", "alice", on: 0, zone: zone)
        try neighbours.exchange(zone)
        try neighbours.transfer(zone, by: 0, to: 1, keeping: .write)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("a", "alice again", on: 1, zone: zone) == nil)
        #expect(throws: CommitError.self) { try neighbours.grant(.read, to: 2, by: 0, zone: zone) }
        _ = try neighbours.grant(.write, to: 2, by: 2, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("b", "carol", on: 3, zone: zone) == nil)
        try neighbours.exchange(zone)
        for index in 0..<4 {
            #expect(try neighbours.text("a", on: index, zone: zone) == "alice again", "device \(index)")
            #expect(try neighbours.text("b", on: index, zone: zone) == "carol", "device \(index)")
        }
        #expect(try neighbours.digests(zone, of: [0, 1, 2, 3]).count == 1)
        // The new owner makes checkpoints, the old one does not.
        let zoneRow = try #require(try neighbours.homes[0].store.zone(zone))
        #expect(zoneRow.role != .owner && !zoneRow.right.isZero)
    }

    @Test func `a device of no known account is not assigned to an account`() throws {
        var (neighbours, zone, _) = try shared()
        let stranger = DeviceIdentity(using: &neighbours.random)
        let known = neighbours.homes[2].keys
        neighbours.homes[2].keys = stranger
        #expect(try neighbours.write("a", "stranger", on: 2, zone: zone) == nil)
        let row = try #require(
            try neighbours.homes[2].store.logs(zone: zone).first { $0.device == stranger.deviceID }
        )
        let run = try RunExchange(neighbours.committer(2)).run(
            row.key,
            from: 0,
            byteCount: 1 << 20,
            in: neighbours.homes[2].store
        )
        neighbours.homes[2].keys = known
        // The log of Bob's account that is held here may be an old one, so the sender breaks no rule.
        #expect(neighbours.apply(try #require(run), on: 0) == .misplaced)
        #expect(try neighbours.text("a", on: 0, zone: zone) == nil)
    }
}

extension Neighbours {
    /// Gives a device a role that a changed daemon would claim for itself.
    mutating func pretend(_ role: LogRole, on index: Int, zone: ZoneID) throws {
        guard var row = try homes[index].store.zone(zone) else { return }
        row.role = role
        try homes[index].store.save(row)
        for var log in try homes[index].store.logs(zone: zone) where log.device == homes[index].keys.deviceID {
            log.role = role
            try homes[index].store.save(log)
        }
    }
}
