import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Rights that turn out to be void")
struct VoidRightTests {
    private func texts(_ name: String, _ n: Neighbours, _ zone: ZoneID, _ indices: [Int]) throws -> Set<String> {
        Set(try indices.map { try n.text(name, on: $0, zone: zone) ?? "-" })
    }

    /// The states by which devices compare a zone.
    private func states(_ n: Neighbours, _ zone: ZoneID, _ indices: [Int]) throws -> Set<Hash> {
        Set(
            try indices.map { index in
                let row = try #require(try n.homes[index].store.zone(zone))
                return try ZoneViews(n.committer(index)).snapshot(of: row, in: n.homes[index].store).state
            }
        )
    }

    @Test func `operations that had seen records under a void transfer do not wait for them`() throws {
        var n = try Neighbours([3, 1, 1, 1])  // Alice 0 1 2, Bob 3, Carol 4, Dave 5
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 2, by: 0, zone: zone)
        try n.exchange(zone)
        try n.transfer(zone, by: 1, to: 1)
        try n.exchange(zone, among: [1, 3, 4, 5])
        #expect(try n.write("a", "bob", on: 3, zone: zone) == nil)
        _ = try n.grant(.write, to: 3, by: 3, zone: zone)
        try n.exchange(zone, among: [1, 3, 4, 5])
        #expect(try n.write("b", "dave", on: 5, zone: zone) == nil)
        try n.exchange(zone, among: [1, 3, 4, 5])
        #expect(try n.write("c", "carol", on: 4, zone: zone) == nil)
        // The device that transferred the zone is removed by one that did not know of the transfer.
        try n.remove(1, by: 0)
        let all = [0, 2, 3, 4, 5]
        try n.settle(zone, among: all)
        #expect(try texts("c", n, zone, all) == ["carol"])
        #expect(try texts("a", n, zone, all) == ["-"])
        #expect(try texts("b", n, zone, all) == ["-"])
        #expect(try n.digests(zone, of: all).count == 1)
        let held = try Quarantine(of: zone).entries(limit: 9, in: n.homes[4].store)
        #expect(held.map(\.name).sorted() == ["a", "b"], "who held it may adopt it")
    }

    @Test func `nothing waits for operations of an owner that lost the zone to a concurrent transfer`() throws {
        var n = try Neighbours([2, 1, 1, 1])  // Alice 0 1, Bob 2, Carol 3, Dave 4
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 2, by: 0, zone: zone)
        try n.exchange(zone)
        let dave = n.account(3)
        try n.transfer(zone, by: 1, to: 1)
        try n.exchange(zone, among: [1, 2, 3])
        #expect(try n.write("a", "bob", on: 2, zone: zone) == nil)
        let late = try n.grant(.read, to: 3, by: 2, zone: zone)
        try n.exchange(zone, among: [1, 2, 3])
        #expect(try n.write("c", "carol", on: 3, zone: zone) == nil)
        try n.change(3) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        try n.transfer(zone, by: 0, to: 3)
        let all = [0, 1, 2, 3, 4]
        try n.settle(zone)
        for index in all {
            let state = try n.controlState(zone, on: index)
            #expect(state.owner == dave, "device \(index)")
            // No device accepts operations under it any more.
            if 1...3 ~= index { #expect(state.status(of: late) == .void(.rightVoid), "device \(index)") }
            let waiting = try n.homes[index].store.logs(zone: zone).filter { $0.appliedSize < $0.size }
            #expect(waiting.isEmpty, "device \(index)")
        }
        #expect(try texts("c", n, zone, all) == ["carol"])
        #expect(try texts("a", n, zone, all) == ["-"])
        #expect(try n.digests(zone, of: all).count == 1)
    }

    @Test func `a checkpoint keeps a right that the owner's removed device had granted`() throws {
        var n = try Neighbours([4, 1])  // Alice 0 1 2 3, Bob 4
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 1, zone: zone)
        try n.exchange(zone, among: [0, 1, 4])
        #expect(try n.write("a", "bob", on: 4, zone: zone) == nil)
        try n.exchange(zone, among: [0, 1, 4])
        // No device waits for 2 and 3 any more.
        #expect(try n.checkpoint(zone, on: 0) != nil)
        try n.remove(1, by: 2)
        let all = [0, 2, 3, 4]
        try n.settle(zone, among: all)
        #expect(try texts("a", n, zone, all) == ["bob"])
        #expect(try n.digests(zone, of: all).count == 1)
    }

    @Test
    func `under a checkpoint that covers no grant a void right's records are void for all, and back with the right`()
        throws
    {
        var n = try Neighbours([4, 1])  // Alice 0 1 2 3, Bob 4
        let zone = try n.zone(of: 0)
        try n.write("c", "of the one who removes", on: 2, zone: zone)
        _ = try n.grant(.write, to: 1, by: 1, zone: zone)
        try n.exchange(zone, among: [0, 1, 4])
        #expect(try n.write("a", "bob", on: 4, zone: zone) == nil)
        #expect(try n.write("b", "bob", on: 4, zone: zone) == nil)
        try n.exchange(zone, among: [0, 1, 4])
        let row = try #require(try n.homes[0].store.logs(zone: zone).first { $0.key.lane == .data })
        let position = LogPosition(actor: row.key.actor, lane: .data, size: row.size, root: row.frontier.root)
        let live = try LiveSet(
            zone: zone,
            sizes: VersionVector(covering: [Dot(actor: row.key.actor, counter: row.size)]),
            previous: VersionVector(),
            in: n.homes[0].store
        )
        let checkpoint = Checkpoint(
            logs: [position],
            liveRoot: live.root,
            liveCount: live.count,
            lapsed: [],
            previous: .zero
        )
        try n.say(.checkpoint(checkpoint), on: 0, zone: zone)
        let before = n.logs[0]
        try n.remove(1, by: 2)
        let all = [0, 2, 3, 4]
        try n.settle(zone, among: all)
        #expect(try texts("a", n, zone, all) == ["-"])
        #expect(try n.digests(zone, of: all).count == 1)
        for index in all {
            let held = try Quarantine(of: zone).entries(limit: 9, in: n.homes[index].store)
            #expect(held.map(\.name).sorted() == ["a", "b"], "device \(index)")
        }
        // The removal is not effective any more: the operations that had been void from the first are effective, too.
        n.logs[0] = before
        for index in n.homes.indices { try n.change(index) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
        try n.settle(zone)
        #expect(try texts("a", n, zone, [0, 1, 2, 3, 4]) == ["bob"])
        #expect(try texts("b", n, zone, [0, 1, 2, 3, 4]) == ["bob"])
        #expect(try n.digests(zone, of: [0, 1, 2, 3, 4]).count == 1)
    }

    @Test
    func `a replica that lacks a void grant agrees with the others, and again when the grant takes effect`() throws {
        var n = try Neighbours([3, 1, 1])  // Alice 0 1 2, Bob 3, Carol 4
        let zone = try n.zone(of: 0)
        let bob = n.homes[3].keys.deviceID
        try n.write("c", "alice", on: 0, zone: zone)
        try n.exchange(zone)
        _ = try n.grant(.write, to: 1, by: 1, canDelegate: true, zone: zone)
        try n.exchange(zone, among: [0, 1, 3, 4])
        _ = try n.grant(.read, to: 2, by: 3, zone: zone)
        #expect(try n.write("a", "bob", on: 3, zone: zone) == nil)
        try n.exchange(zone, among: [0, 1, 3, 4])
        // Bob's control log reaches a device that has not heard of his right, and removes the one that granted it.
        try n.pull(zone, from: 3, to: 2) { $0.device == bob && $0.key.lane == .control }
        let before = n.logs[0]
        try n.remove(1, by: 2)
        let all = [0, 2, 3, 4]
        try n.settle(zone, among: all)
        #expect(try n.homes[0].store.logs(zone: zone).allSatisfy { $0.device != bob || $0.cut == .zero })
        let kept = try n.homes[2].store.logs(zone: zone).filter { $0.device == bob && $0.size > 0 }
        #expect(kept.map(\.cut) == [nil], "it is held whole where nothing shows that its right is void")
        #expect(try n.digests(zone, of: all).count == 1)
        #expect(try states(n, zone, all).count == 1, "no comparison finds a difference")
        #expect(try texts("a", n, zone, all) == ["-"])
        n.logs[0] = before
        for index in n.homes.indices { try n.change(index) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
        try n.settle(zone)
        #expect(try texts("a", n, zone, [0, 1, 2, 3, 4]) == ["bob"])
        #expect(try n.digests(zone, of: [0, 1, 2, 3, 4]).count == 1)
        #expect(try states(n, zone, [0, 1, 2, 3, 4]).count == 1)
    }
}
