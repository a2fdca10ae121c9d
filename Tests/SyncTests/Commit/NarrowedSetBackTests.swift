import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

/// Bob's store is rolled back behind operations that Alice has put under a checkpoint, and writes on; meanwhile his
/// right became narrower.
@Suite struct `A store that was rolled back and has lost rights` {
    private func setBack(_ right: AccessLevel?) throws -> (Neighbours, ZoneID) {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        let former = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.write("a", "alice", on: 0, zone: zone)
        try n.exchange(zone)
        try n.write("a", "1", on: 1, zone: zone)
        try n.exchange(zone)
        let key = try #require(
            try n.homes[1].store.logs(zone: zone).first { $0.key.lane == .data && $0.right == former }
        ).key
        let alice = n.homes[0].keys.deviceID
        try n.change(1) { try PeerMemory($0).acknowledged(by: alice, [key: 1], in: &$2) }
        let image = n.homes[1].store
        for index in 2..<9 { try n.write("a", "\(index)", on: 1, zone: zone) }
        try n.exchange(zone)
        #expect(try n.checkpoint(zone, on: 0) != nil)
        n.homes[1].store = image
        for name in ["a", "new"] { try n.write(name, "mine", on: 1, zone: zone) }
        try n.change(0) { _ = try ZoneSharing($0).revoke([former], zone: zone, reason: "less", in: &$2) }
        if let right { _ = try n.grant(right, to: 1, by: 0, zone: zone) }
        try n.pull(zone, from: 0, to: 1)
        #expect(try n.homes[1].store.log(key)?.size == 8, "the log is the others' from now on")
        return (n, zone)
    }

    private func values(_ n: Neighbours, _ zone: ZoneID, on index: Int) throws -> Set<FieldValue> {
        let store = n.homes[index].store
        let row = try store.record(zone: zone, tag: try RecordTag(of: "a", zone: zone, in: store))
        return Set(try row?.content().field(named: "text")?.entries.map(\.value) ?? [])
    }

    @Test func `restates the writes that its rights permit, and the rest waits for an account that may`() throws {
        var (n, zone) = try setBack(.append)
        try n.exchange(zone)
        for index in 0...1 {
            #expect(try n.text("new", on: index, zone: zone) == "mine", "device \(index)")
            #expect(try n.text("a", on: index, zone: zone) == "8", "device \(index)")
            let held = try Quarantine(of: zone).entries(limit: 9, in: n.homes[index].store)
            #expect(held.map(\.name) == ["a"] && held.map(\.reason) == [.outOfRight], "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
        let held = try #require(try Quarantine(of: zone).entries(limit: 9, in: n.homes[0].store).first)
        #expect(try n.change(0) { try QuarantineDecisions($0).adopt(held.dot, zone: zone, in: &$2).reply })
        try n.exchange(zone)
        for index in 0...1 { #expect(try values(n, zone, on: index) == [.string("mine"), .string("8")]) }
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }

    @Test(arguments: [nil, AccessLevel.read])
    func `keeps all of it where it may write nothing, until it may again`(right: AccessLevel?) throws {
        var (n, zone) = try setBack(right)
        // The log under the right that ended has its end in the transaction that writes it.
        let first = try Quarantine(of: zone).entries(limit: 9, in: n.homes[1].store)
        #expect(first.map(\.name).sorted() == ["a", "new"] && first.allSatisfy { $0.reason == .aboveCut })
        try n.settle(zone)
        #expect(try n.text("new", on: 1, zone: zone) == nil)
        let held = try Quarantine(of: zone).entries(limit: 9, in: n.homes[1].store)
        #expect(held.map(\.name).sorted() == ["a", "new"] && held.allSatisfy { $0.reason == .aboveCut })
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        for entry in held {
            #expect(try n.change(1) { try QuarantineDecisions($0).adopt(entry.dot, zone: zone, in: &$2).reply })
        }
        try n.settle(zone)
        for index in 0...1 {
            #expect(try n.text("new", on: index, zone: zone) == "mine", "device \(index)")
            #expect(try values(n, zone, on: index) == [.string("mine"), .string("8")], "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }
}
