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
        try n.change(0) { _ = try $0.revoke([right], zone: zone, reason: "out", in: &$2) }
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
        #expect(throws: awaited) { try n.change(0) { _ = try $0.raiseCut(of: right, zone: zone, in: &$2) } }
        #expect(
            try n.quarantine(zone, on: 0).map(\.name) == ["b"],
            "it can still be adopted, once the other log is here"
        )
        try n.deposit(zone, from: 3, to: 0)
        try n.change(0) { _ = try $0.raiseCut(of: right, zone: zone, in: &$2) }
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
        try n.change(0) { _ = try $0.raiseCut(of: right, zone: zone, in: &$2) }
        try n.settle(zone)
        for index in n.homes.indices {
            #expect(try n.text("b", on: index, zone: zone) == "first", "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1, 2, 3]).count == 1)
        #expect(throws: CutRaiseRefusal.purged(log, purged)) {
            try n.change(0) { _ = try $0.raiseCut(of: right, zone: zone, in: &$2) }
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
        try n.change(1) { _ = try $0.raiseCut(of: right, zone: zone, in: &$2) }
        try n.exchange(zone, among: [0, 1])
        #expect(try n.homes[0].store.log(log)?.hole == nil)
        for index in 0...1 { #expect(try n.text("b", on: index, zone: zone) == "third", "device \(index)") }
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }
}
