import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("An operation above a raised cut")
struct CutRaiseTests {
    /// Alice (0, 1) owns the zone, Carol (2, 3) wrote "a" until she was revoked, and does not know of it.
    private func ended() throws -> (n: Neighbours, zone: ZoneID, right: Hash) {
        var n = try Neighbours([2, 2])
        let zone = try n.zone(of: 0)
        let right = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        try n.write("a", "carol", on: 2, zone: zone)
        try n.exchange(zone)
        try n.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        return (n, zone, right)
    }

    private func key(of index: Int, _ n: Neighbours, _ zone: ZoneID) throws -> LogKey {
        let actor = try n.committer(index).author(in: zone, n.homes[index].store).actor
        return LogKey(zone: zone, actor: actor, lane: .data)
    }

    /// Returns a run with the last operation of a device, under a head of its own.
    private func late(_ n: Neighbours, _ key: LogKey, on index: Int) throws -> Run {
        let size = try #require(try n.homes[index].store.log(key)?.size)
        return try #require(
            try RunExchange(n.committer(index)).run(key, from: size - 1, byteCount: 1 << 20, in: n.homes[index].store)
        )
    }

    @Test func `does not wait for an unknown log`() throws {
        var (n, zone, right) = try ended()
        let logs = try [2, 3].map { try key(of: $0, n, zone) }
        try n.write("b", "first", on: 3, zone: zone)
        try n.pull(zone, from: 3, to: 2)
        try n.write("b", "second", on: 2, zone: zone)
        try n.settle(zone)
        try n.deposit(zone, from: 2, to: 0)
        let awaited = CutRaiseRefusal.waiting(logs[0], for: Dot(actor: logs[1].actor, counter: 1))
        #expect(throws: awaited) {
            try n.change(0) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        }
        #expect(
            try n.quarantine(zone, on: 0).map(\.name) == ["b"],
            "it can still be adopted, once the other log is here"
        )
        try n.deposit(zone, from: 3, to: 0)
        try n.change(0) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        try n.settle(zone)
        for index in n.homes.indices {
            #expect(try n.text("b", on: index, zone: zone) == "second", "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1, 2, 3]).count == 1)
    }

    @Test func `is effective as far as nothing of it was purged`() throws {
        var (n, zone, right) = try ended()
        let log = try key(of: 2, n, zone)
        for text in ["first", "second", "third"] {
            try n.write("b", text, on: 2, zone: zone)
            _ = n.keep(try late(n, log, on: 2), on: 0)
        }
        let purged = Dot(actor: log.actor, counter: 3)
        _ = try n.change(0) { try QuarantineDecisions($0).purge(purged, zone: zone, in: &$2) }
        try n.change(0) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        try n.settle(zone)
        for index in n.homes.indices {
            #expect(try n.text("b", on: index, zone: zone) == "first", "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1, 2, 3]).count == 1)
        #expect(throws: CutRaiseRefusal.purged(log, purged)) {
            try n.change(0) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        }
        // The operations behind the purged one can be adopted.
        let entry = try #require(try n.quarantine(zone, on: 0).first)
        #expect(try n.change(0) { try QuarantineDecisions($0).adopt(entry.dot, zone: zone, in: &$2).reply })
        try n.settle(zone)
        for index in 0...1 { #expect(try n.text("b", on: index, zone: zone) == "third", "device \(index)") }
    }

    @Test func `is fetched again if it was purged, from the device that raised the cut`() throws {
        var (n, zone, right) = try ended()
        let log = try key(of: 2, n, zone)
        for text in ["first", "second", "third"] {
            try n.write("b", text, on: 2, zone: zone)
            let run = try late(n, log, on: 2)
            for index in 0...1 { _ = n.keep(run, on: index) }
        }
        _ = try n.change(0) {
            try QuarantineDecisions($0).purge(Dot(actor: log.actor, counter: 3), zone: zone, in: &$2)
        }
        try n.exchange(zone, among: [0, 1])
        try n.change(1) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        try n.exchange(zone, among: [0, 1])
        #expect(try n.homes[0].store.log(log)?.hole == nil)
        for index in 0...1 { #expect(try n.text("b", on: index, zone: zone) == "third", "device \(index)") }
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }

    /// A revocation by a device that is behind, and a checkpoint that waited for that device.
    ///
    /// Alice's second device (1) has missed Carol's last operation. So the checkpoint of her first device (0) covers the log
    /// just as far as the second one holds it, and that is where the second one cuts the log.
    @Test func `is effective also where a checkpoint covers the log exactly up to the cut`() throws {
        var n = try Neighbours([2, 1])
        let zone = try n.zone(of: 0)
        let right = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        try n.write("a", "carol", on: 2, zone: zone)
        try n.exchange(zone)
        let log = try key(of: 2, n, zone)
        let checkpoint = try #require(try n.checkpoint(zone, on: 0))
        #expect(checkpoint.size(log.actorLane) == 1)
        try n.exchange(zone)
        try n.write("b", "carol", on: 2, zone: zone)
        try n.pull(zone, from: 2, to: 0)
        try n.change(1) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        try n.exchange(zone, among: [0, 1])
        #expect(try n.homes[0].store.log(log)?.cut?.size == 1)
        #expect(try n.quarantine(zone, on: 0).map(\.name) == ["b"])
        try n.change(0) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        try n.settle(zone)
        for index in n.homes.indices {
            #expect(try n.text("b", on: index, zone: zone) == "carol", "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1, 2]).count == 1)
    }

    /// Checkpoints made at once after a cut was raised over operations that a device acknowledged without keeping them.
    ///
    /// Alice's second device (1) has revoked Carol (2), and her first one (0), which does not know that yet, forwards Carol's
    /// last operations, which the second one acknowledges and does not keep. The first one raises the cut over them and makes
    /// checkpoints at once.
    @Test func `that was acknowledged and not kept reaches its device after checkpoints have covered and pruned it`()
        throws
    {
        var n = try Neighbours([2, 1])
        let zone = try n.zone(of: 0)
        let right = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        for name in ["gone", "edited"] { try n.write(name, "alice", on: 0, zone: zone) }
        try n.exchange(zone)
        try n.write("a", "carol", on: 2, zone: zone)
        try n.exchange(zone)
        let log = try key(of: 2, n, zone)
        #expect(try n.delete("gone", on: 2, zone: zone) == nil)
        try n.write("edited", "carol", on: 2, zone: zone)
        try n.write("late", "first", on: 2, zone: zone)
        try n.write("late", "last", on: 2, zone: zone)
        try n.pull(zone, from: 2, to: 0)
        try n.change(1) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        let size = try #require(try n.homes[0].store.log(log)?.size)
        let run = try #require(
            try RunExchange(n.committer(0)).run(log, from: 1, byteCount: 1 << 20, in: n.homes[0].store)
        )
        guard case .durable(size, operations: 0) = n.apply(run, on: 1) else {
            Issue.record("acknowledged as a whole")
            return
        }
        #expect(try n.homes[1].store.log(log)?.size == 1, "and nothing of it is kept")
        let second = n.homes[1].keys.deviceID
        try n.change(0) { try PeerMemory($0).acknowledged(by: second, [log: size], in: &$2) }
        try n.pull(zone, from: 1, to: 0)
        try n.change(0) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        for version in 1...2 {
            try n.write("new", "\(version)", on: 0, zone: zone)
            try n.pull(zone, from: 0, to: 1) { $0.key != log }
            n.homes[0].wall += 2 * 24 * 60 * 60 * 1_000
            let held = try Dictionary(
                uniqueKeysWithValues: n.homes[1].store.logs(zone: zone).map { ($0.key, $0.size) }
            ).filter { $0.key != log }
            let made = try n.change(0) { committer, _, store in
                try PeerMemory(committer).acknowledged(by: second, held, in: &store)
                let made = try CheckpointUpkeep(committer).settle(zone, in: &store).checkpoint
                try CheckpointUpkeep(committer).pruneAll(zone, in: &store)
                return made
            }
            #expect(made?.size(log.actorLane) == size, "covered by the false acknowledgement")
        }
        #expect(
            try n.homes[0].store.items(log, from: 1, to: size).contains {
                if case .gap = $0.content { true } else { false }
            }
        )
        // The second device states what it has, and receives the rest, with gaps; then the live set of the first.
        for _ in 0..<2 { try n.pull(zone, from: 0, to: 1) }
        let page = try LiveSetRequest(zone: zone).page(in: n.homes[0].store)
        let comparison = LiveSetComparison(zone: zone, teller: n.homes[0].keys.deviceID)
        _ = try n.change(1) { try LiveSetIntake($0).take(page, comparison: comparison, in: &$2).reply }
        for index in 0...1 {
            #expect(try n.text("gone", on: index, zone: zone) == nil, "device \(index)")
            #expect(try n.text("edited", on: index, zone: zone) == "carol", "device \(index)")
            #expect(try n.text("late", on: index, zone: zone) == "last", "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
        #expect(try n.homes[1].store.zone(zone)?.isUnverified == false)
    }
}
