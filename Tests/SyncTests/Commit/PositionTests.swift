import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Positions of the future, on whole stores")
struct PositionTests {
    static let future: UInt64 = 1 << 62

    /// Returns positions in both lanes of a device's log that no device will ever reach.
    private func future(of index: Int, _ n: Neighbours, _ zone: ZoneID) throws -> [LogPosition] {
        let actor = try n.committer(index).author(in: zone, n.homes[index].store).actor
        return Lane.allCases.map { LogPosition(actor: actor, lane: $0, size: Self.future, root: .zero) }
            .sorted { $0.key < $1.key }
    }

    private func lie(of index: Int, _ n: Neighbours, _ zone: ZoneID) throws -> ControlBody {
        .checkpoint(
            Checkpoint(
                logs: try future(of: index, n, zone),
                liveRoot: .zero,
                liveCount: 0,
                lapsed: [],
                previous: .zero
            )
        )
    }

    private func state(_ n: Neighbours, _ index: Int, _ zone: ZoneID) throws -> ControlState {
        try n.controlState(zone, on: index)
    }

    /// Passes on every run of some lanes, whatever the receiver requests; the runs of a world that does not know the
    /// events in this one are those that a modified program would write.
    @discardableResult
    private func carry(
        _ zone: ZoneID,
        _ lanes: [Lane] = Lane.allCases,
        from source: Int,
        of world: Neighbours? = nil,
        to target: Int,
        in n: inout Neighbours
    ) throws -> [RunOutcome] {
        let world = world ?? n
        let store = world.homes[source].store
        var outcomes: [RunOutcome] = []
        for row in try store.logs(zone: zone) where lanes.contains(row.key.lane) {
            let from = try n.homes[target].store.log(row.key)?.heldSize ?? 0
            guard
                let run = try RunExchange(world.committer(source)).run(
                    row.key,
                    from: from,
                    byteCount: 1 << 20,
                    in: store
                )
            else {
                continue
            }
            outcomes.append(n.apply(run, on: target))
        }
        return outcomes
    }

    // MARK: Lies

    @Test func `writes of a removed device have no effect, whatever its checkpoint stated`() throws {
        // Alice (0, 1), whose second device is taken over by a thief; Bob (2), who may read, Mallory (3).
        var n = try Neighbours([2, 1, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.read, to: 1, by: 0, zone: zone)
        try n.write("a", "before", on: 1, zone: zone)
        try n.exchange(zone)
        try n.say(try lie(of: 1, n, zone), on: 1, zone: zone)
        try n.exchange(zone)
        var thief = n
        try n.remove(1, by: 0)
        let terms = Capability.Terms(audience: n.account(2), rights: Rights(.admin, canDelegate: false))
        try thief.change(1) { _ = try ZoneSharing($0).grant(terms, zone: zone, random: &$1, in: &$2) }
        try thief.write("a", "after", on: 1, zone: zone)
        for target in [0, 2] { try carry(zone, from: 1, of: thief, to: target, in: &n) }
        try n.settle(zone, among: [0, 2, 3])
        for index in [0, 2, 3] {
            #expect(try state(n, index, zone).participants[n.account(2)] == nil, "device \(index)")
            #expect(try n.text("a", on: index, zone: zone) == "before", "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 2, 3]).count == 1)
    }

    @Test func `a former owner does not end the zone that it transferred`() throws {
        var n = try Neighbours([2, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.write("a", "kept", on: 0, zone: zone)
        try n.write("b", "kept", on: 1, zone: zone)
        try n.exchange(zone)
        let cuts = try [0, 1].flatMap { try future(of: $0, n, zone) }.sorted { $0.key < $1.key }
        var thief = n
        try n.say(
            .transfer(OwnershipTransfer(consent: try n.consent(of: 1, zone: zone, from: 0), cuts: cuts)),
            on: 0,
            zone: zone
        )
        try n.pull(zone, from: 0, to: 2)
        #expect(try state(n, 2, zone).owner == n.account(1))
        // Its place in the log is the transfer's, so it is said twice; of the other device it is what follows.
        for index in [0, 1] { try thief.write("c", "late", on: index, zone: zone) }
        for index in [0, 1] {
            try thief.say(.schema([]), on: index, zone: zone)
            try thief.say(.zoneDeletion(reason: "mine after all"), on: index, zone: zone)
        }
        try carry(zone, from: 1, of: thief, to: 2, in: &n)
        try carry(zone, [.data], from: 0, of: thief, to: 2, in: &n)
        let row = try #require(try n.homes[2].store.zone(zone))
        #expect(row.state == .live)
        #expect(try n.text("a", on: 2, zone: zone) == "kept")
        #expect(try n.text("b", on: 2, zone: zone) == "kept")
        #expect(try n.text("c", on: 2, zone: zone) == nil)
    }

    @Test func `writes of an account after its leave are quarantined`() throws {
        var n = try Neighbours([1, 1, 1])
        let zone = try n.zone(of: 0)
        for account in 1...2 { _ = try n.grant(.write, to: account, by: 0, zone: zone) }
        try n.exchange(zone)
        try n.write("a", "before", on: 1, zone: zone)
        try n.exchange(zone)
        var leaver = n
        try n.say(.leave(Leave(cuts: try future(of: 1, n, zone))), on: 1, zone: zone)
        try carry(zone, [.control], from: 1, to: 0, in: &n)
        try leaver.write("a", "after it had left", on: 1, zone: zone)
        let run = try #require(try late(leaver, 1, zone))
        _ = n.keep(run, on: 0)
        for target in [0, 2] { try carry(zone, [.data], from: 1, of: leaver, to: target, in: &n) }
        try n.settle(zone, among: [0, 2])
        for index in [0, 2] { #expect(try n.text("a", on: index, zone: zone) == "before", "device \(index)") }
        #expect(try n.digests(zone, of: [0, 2]).count == 1)
    }

    @Test func `the owner revokes the rights of an account that left, and its prepared operations stay void`() throws {
        for isRevoked in [false, true] {
            var n = try Neighbours([1, 1, 1])
            let zone = try n.zone(of: 0)
            let rights = try [1, 2].map { try n.grant(.write, to: $0, by: 0, zone: zone) }
            try n.exchange(zone)
            try n.write("a", "shown", on: 1, zone: zone)
            try n.exchange(zone)
            try n.write("a", "prepared", on: 1, zone: zone)
            try n.change(1) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
            for target in [0, 2] { try carry(zone, [.control], from: 1, to: target, in: &n) }
            #expect(try state(n, 0, zone).capabilitiesGivenUp(by: n.account(1)) == [rights[0]])
            if isRevoked {
                try n.change(0) { _ = try ZoneSharing($0).revoke([rights[0]], zone: zone, reason: "bounded", in: &$2) }
                #expect(try state(n, 0, zone).capabilitiesGivenUp(by: n.account(1)).isEmpty)
                try n.settle(zone, among: [0, 2])
            }
            for target in [0, 2] { try carry(zone, [.data], from: 1, to: target, in: &n) }
            try n.settle(zone, among: [0, 2])
            let shown = isRevoked ? "shown" : "prepared"
            for index in [0, 2] { #expect(try n.text("a", on: index, zone: zone) == shown, "device \(index)") }
            #expect(try n.digests(zone, of: [0, 2]).count == 1)
        }
    }

    /// Returns a run with the last operation of a device.
    private func late(_ n: Neighbours, _ index: Int, _ zone: ZoneID) throws -> Run? {
        let (committer, store) = (n.committer(index), n.homes[index].store)
        let key = LogKey(zone: zone, actor: try committer.author(in: zone, store).actor, lane: .data)
        return try RunExchange(committer).run(
            key,
            from: (try store.log(key)?.size ?? 1) - 1,
            byteCount: 1 << 20,
            in: store
        )
    }

    @Test func `a checkpoint of the future holds forgetting back for a day, and not at all once its author is removed`()
        throws
    {
        for isRemoved in [false, true] {
            var n = try Neighbours([2])
            let zone = try n.zone(of: 0)
            for text in ["1", "2"] { try n.write("a", text, on: 0, zone: zone) }
            try n.exchange(zone)
            #expect(try n.checkpoint(zone, on: 0) != nil)
            try n.say(try lie(of: 1, n, zone), on: 1, zone: zone)
            try n.exchange(zone)
            try n.write("a", "3", on: 0, zone: zone)
            try n.exchange(zone)
            if isRemoved {
                try n.remove(1, by: 0)
            } else {
                #expect(try n.checkpoint(zone, on: 0) == nil)
            }
            #expect(try n.checkpoint(zone, on: 0) != nil, "removed: \(isRemoved)")
        }
    }

    @Test func `a new checkpoint covers nothing that a removed device wrote above its cut and had itself covered`()
        throws
    {
        // The third device removes the second one, and knows its checkpoint but not its writes.
        var n = try Neighbours([3])
        let zone = try n.zone(of: 0)
        try n.write("a", "before", on: 0, zone: zone)
        try n.exchange(zone)
        try n.write("a", "late", on: 1, zone: zone)
        let (committer, store) = (n.committer(1), n.homes[1].store)
        let key = LogKey(zone: zone, actor: try committer.author(in: zone, store).actor, lane: .data)
        let row = try #require(try store.log(key))
        // It extends an unknown one, so it waits where it arrives.
        let own = Checkpoint(
            logs: [LogPosition(actor: key.actor, lane: .data, size: row.size, root: row.frontier.root)],
            liveRoot: .zero,
            liveCount: 0,
            lapsed: [],
            previous: row.frontier.root
        )
        try n.say(.checkpoint(own), on: 1, zone: zone)
        try n.pull(zone, from: 1, to: 0)
        #expect(try n.text("a", on: 0, zone: zone) == "late")
        try carry(zone, [.control], from: 1, to: 2, in: &n)
        try n.remove(1, by: 2)
        try n.settle(zone, among: [0, 2])
        #expect(try n.text("a", on: 0, zone: zone) == "before")
        for text in ["1", "2"] { try n.write("b", text, on: 0, zone: zone) }
        try n.settle(zone, among: [0, 2])
        let made = try #require(try n.checkpoint(zone, on: 0))
        #expect(made.dataSizes[key.actor] == 0)
        try n.settle(zone, among: [0, 2])
        for index in [0, 2] { #expect(try n.text("a", on: index, zone: zone) == "before", "device \(index)") }
        #expect(try n.digests(zone, of: [0, 2]).count == 1)
    }

    // MARK: Honest endings lose nothing

    @Test func `writes from before a leave are effective, however late and from whichever peer they arrive`() throws {
        // Alice owns the zone and learns of the leave first. Carol got Bob's writes.
        var n = try Neighbours([1, 1, 1])
        let zone = try n.zone(of: 0)
        for account in 1...2 { _ = try n.grant(.write, to: account, by: 0, zone: zone) }
        try n.exchange(zone)
        try n.write("a", "early", on: 1, zone: zone)
        try n.exchange(zone)
        for text in ["late", "later"] { try n.write("a", text, on: 1, zone: zone) }
        try carry(zone, from: 1, to: 2, in: &n)
        try n.change(1) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        try carry(zone, [.control], from: 1, to: 0, in: &n)
        #expect(try n.text("a", on: 0, zone: zone) == "early")
        try n.exchange(zone, among: [0, 2])
        for index in [0, 2] { #expect(try n.text("a", on: index, zone: zone) == "later", "device \(index)") }
        #expect(try n.digests(zone, of: [0, 2]).count == 1)
        try n.settle(zone)
        #expect(try n.digests(zone, of: [0, 1, 2]).count == 1)
    }

    @Test func `a stated end is reached over gaps under a checkpoint that is void by now`()
        throws
    {
        // Alice (0, 1), Bob (2), Carol (3). Alice's first device holds none of Bob's writes: its disk was rolled
        // back.
        var n = try Neighbours([2, 1, 1])
        let zone = try n.zone(of: 0)
        for account in 1...2 { _ = try n.grant(.write, to: account, by: 0, zone: zone) }
        try n.write("b", "kept", on: 0, zone: zone)
        try n.exchange(zone)
        for text in ["1", "2", "3"] { try n.write("a", text, on: 2, zone: zone) }
        try n.exchange(zone, among: [1, 2, 3])
        _ = try #require(try n.checkpoint(zone, on: 1))
        try n.exchange(zone, among: [1, 2, 3])
        try n.change(2) { _ = try CheckpointUpkeep($0).pruneAll(zone, in: &$2) }
        try n.change(2) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        try carry(zone, [.control], from: 2, to: 0, in: &n)
        try n.remove(1, by: 0)
        #expect(try n.text("a", on: 0, zone: zone) == nil)
        let forgotten = try #require(
            try n.homes[2].store.logs(zone: zone).first { $0.key.lane == .data && $0.size == 3 }
        )
        let run = try RunExchange(n.committer(2)).run(forgotten.key, from: 0, byteCount: 1 << 20, in: n.homes[2].store)
        #expect(try #require(run).items.count < 3)
        try carry(zone, [.data], from: 2, to: 0, in: &n)
        try n.exchange(zone, among: [0, 3])
        for index in [0, 3] { #expect(try n.text("a", on: index, zone: zone) == "3", "device \(index)") }
        #expect(try n.digests(zone, of: [0, 3]).count == 1)
    }

    @Test func `a device that removes the maker of a checkpoint restates it in the same transaction`() throws {
        var n = try Neighbours([3, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        for text in ["1", "2", "3"] { try n.write("a", text, on: 1, zone: zone) }
        try n.exchange(zone)
        let checkpoint = try #require(try n.checkpoint(zone, on: 1))
        try n.exchange(zone)
        for index in n.homes.indices {
            #expect(try n.homes[index].store.zone(zone)?.adopted == checkpoint, "device \(index)")
        }
        for (removed, remover) in [(1, 0), (0, 2)] {
            try n.remove(removed, by: remover)
            let isSaid = try Checkpoints(of: zone).isSaid(
                checkpoint.hash,
                byOtherThan: n.homes[removed].keys.deviceID,
                in: n.homes[remover].store
            )
            #expect(isSaid, "device \(remover)")
        }
        try n.settle(zone, among: [2, 3])
        for index in [2, 3] { #expect(try n.text("a", on: index, zone: zone) == "3", "device \(index)") }
        #expect(try n.digests(zone, of: [2, 3]).count == 1)
    }

    @Test func `a new owner restates the checkpoint of the former one`() throws {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        for text in ["1", "2", "3"] { try n.write("a", text, on: 0, zone: zone) }
        try n.exchange(zone)
        let checkpoint = try #require(try n.checkpoint(zone, on: 0))
        try n.exchange(zone)
        try n.transfer(zone, by: 0, to: 1)
        try n.pull(zone, from: 0, to: 1)
        let former = n.homes[0].keys.deviceID
        #expect(try Checkpoints(of: zone).isSaid(checkpoint.hash, byOtherThan: former, in: n.homes[1].store))
        try n.settle(zone)
        for index in 0...1 { #expect(try n.text("a", on: index, zone: zone) == "3", "device \(index)") }
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }
}
