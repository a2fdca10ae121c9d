import Capabilities
import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

/// A device whose store begins one incarnation after the other.
@Suite("Many incarnations of one device")
struct IncarnationTests {
    /// Returns runs of incarnations of a device that know nothing of each other: each writes one record, or one
    /// operation about the zone.
    private func runs(_ count: Int, of index: Int, _ lane: Lane, _ zone: ZoneID, _ n: inout Neighbours) throws -> [Run]
    {
        let before = n.homes[index].store
        var runs: [Run] = []
        for number in 0..<count {
            let incarnation = try #require(Incarnation(n.random.bytes(16)))
            try n.change(index) { try $2.save(incarnation) }
            if lane == .data {
                try n.write("record \(number)", "x", on: index, zone: zone)
            } else {
                let right = try #require(try n.homes[index].store.zone(zone)).right
                let actor = ActorID(device: n.homes[index].keys.deviceID, incarnation: incarnation, right: right)
                let keys = n.homes[index].keys
                let author = Author(
                    device: keys.deviceID,
                    incarnation: incarnation,
                    right: right,
                    role: try #require(try n.homes[index].store.zone(zone)).role,
                    actor: actor
                )
                try n.change(index) {
                    _ = try LocalWrites(
                        zone: zone,
                        author: author,
                        wallMilliseconds: 1_000,
                        sign: { keys.sign($0, context: .treeHead) }
                    ).commitControl(.unknown(tag: 99, bytes: [UInt8(truncatingIfNeeded: number)]), in: &$2)
                }
            }
            let store = n.homes[index].store
            let row = try #require(
                try store.logs(zone: zone).first {
                    $0.key.lane == lane && $0.device == n.homes[index].keys.deviceID && $0.incarnation == incarnation
                }
            )
            runs.append(
                try #require(try RunExchange(n.committer(index)).run(row.key, from: 0, byteCount: 1 << 20, in: store))
            )
            n.homes[index].store = before
        }
        return runs
    }

    private func counting(
        _ zone: ZoneID,
        on index: Int,
        of writer: Int,
        _ lane: Lane,
        _ n: Neighbours
    ) throws -> Set<LogKey> {
        let told = try n.told(zone, on: index)
        return Set(
            told.filter { $0.device == n.homes[writer].keys.deviceID && $0.lane == lane && $0.size > 0 }
                .map { LogKey(zone: zone, actor: $0.actor, lane: lane) }
        )
    }

    @Test(arguments: [Lane.data, .control])
    func `effective incarnations are at most the maximum, and the same for all, whatever came first`(lane: Lane) throws
    {
        var n = try Neighbours([3, 1])  // Alice 0 1 2, Bob 3
        let zone = try n.zone(of: 0)
        _ = try n.grant(lane == .data ? .write : .read, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        let before = try counting(zone, on: 0, of: 3, lane, n).count
        let runs = try runs(ReplicaLimits.incarnationCountMax + 20, of: 3, lane, zone, &n)
        for (target, order) in [(0, runs), (1, runs.reversed()), (2, runs.shuffled(using: &n.random))] {
            for run in order { _ = n.apply(run, on: target) }
        }
        try n.settle(zone, among: [0, 1, 2])
        let counted = try (0...2).map { try counting(zone, on: $0, of: 3, lane, n) }
        #expect(Set(counted).count == 1)
        #expect(counted[0].count == ReplicaLimits.incarnationCountMax, "\(before) before")
        #expect(try n.digests(zone, of: [0, 1, 2]).count == 1)
        // The zone goes on: it is written, ruled, and the flooder is revoked.
        #expect(try n.write("goes on", "yes", on: 1, zone: zone) == nil)
        let right = try #require(try n.homes[3].store.zone(zone)).right
        try n.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "floods", in: &$2) }
        try n.settle(zone, among: [0, 1, 2])
        #expect(try n.digests(zone, of: [0, 1, 2]).count == 1)
        #expect(try n.text("goes on", on: 2, zone: zone) == "yes")
        // The rest of the surplus is bounded too.
        let held = try n.homes[0].store.logs(zone: zone).filter { $0.device == n.homes[3].keys.deviceID }
        #expect(held.count <= 2 * ReplicaLimits.heldIncarnationCountMax)
    }

    @Test
    func `writes on top of a surplus incarnation reach replicas that never accept that incarnation`()
        throws
    {
        var n = try Neighbours([2, 1])  // Alice 0 1, Bob 2
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        let runs = try runs(ReplicaLimits.incarnationCountMax + 1, of: 2, .data, zone, &n)
            .sorted { $0.signedHead.head.actor < $1.signedHead.head.actor }
        let surplus = try #require(runs.last)
        let name = try #require(
            try (0..<runs.count).map { "record \($0)" }.first { name in
                let tag = try RecordTag(of: name, zone: zone, in: n.homes[0].store)
                return surplus.items.contains {
                    if case .operation(let operation) = $0 { operation.header.tag == tag } else { false }
                }
            }
        )
        for run in runs.dropLast() { _ = n.apply(run, on: 1) }
        guard case .durable = n.apply(surplus, on: 0) else { throw Unexpected() }
        #expect(try n.write(name, "edited", on: 0, zone: zone) == nil)
        #expect(try n.write("another", "x", on: 0, zone: zone) == nil)
        guard case .unwanted = n.apply(surplus, on: 1) else { throw Unexpected() }
        try n.settle(zone, among: [0, 1])
        #expect(try n.text(name, on: 0, zone: zone) == "edited")
        #expect(try n.text(name, on: 1, zone: zone) == "edited")
        #expect(try n.text("another", on: 1, zone: zone) == "x")
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `a removal frees the incarnations that were surplus only where it lists them, alike for all`() throws {
        var n = try Neighbours([3])  // one account: 2 is removed
        let zone = try n.zone(of: 0)
        #expect(try n.write("early", "x", on: 2, zone: zone) == nil)
        try n.exchange(zone)
        let runs = try runs(ReplicaLimits.incarnationCountMax + 6, of: 2, .data, zone, &n)
        for run in runs.dropLast(3) { _ = n.apply(run, on: 0) }
        try n.remove(2, by: 0)
        for run in runs.reversed() { _ = n.apply(run, on: 1) }
        try n.settle(zone, among: [0, 1])
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
        #expect(try n.write("late", "x", on: 1, zone: zone) == nil)
        try n.settle(zone, among: [0, 1])
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
        #expect(try n.text("late", on: 0, zone: zone) == "x")
    }

    // MARK: Under unknown rights

    /// Returns the first run of a log that a device writes under a right of which no control log shows anything.
    private func run(
        under number: UInt8,
        of index: Int,
        lane: Lane = .control,
        content: UInt8 = 1,
        _ zone: ZoneID,
        _ n: inout Neighbours
    ) throws -> Run {
        let before = n.homes[index].store
        let keys = n.homes[index].keys
        let incarnation = try #require(try before.incarnation())
        let right = Hash(digesting: .treeNode, [number])
        let actor = ActorID(device: keys.deviceID, incarnation: incarnation, right: right)
        let author = Author(device: keys.deviceID, incarnation: incarnation, right: right, actor: actor)
        try n.change(index) { _, _, store in
            let writes = LocalWrites(
                zone: zone,
                author: author,
                wallMilliseconds: 1_000,
                sign: { keys.sign($0, context: .treeHead) }
            )
            switch lane {
            case .control: _ = try writes.commitControl(.unknown(tag: 99, bytes: [content]), in: &store)
            case .data: _ = try writes.commit(writes: [RecordWrite(name: "x", type: "note")], in: &store)
            }
        }
        let key = LogKey(zone: zone, actor: actor, lane: lane)
        let run = try RunExchange(n.committer(index)).run(key, from: 0, byteCount: 1 << 20, in: n.homes[index].store)
        n.homes[index].store = before
        return try #require(run)
    }

    @Test func `logs about the zone under unknown rights are kept, eight of each device, and records wait`() throws {
        var n = try Neighbours([1, 2])  // Alice 0, Bob 1 2
        let zone = try n.zone(of: 0)
        for number in 1...UInt8(8) {
            let run = try run(under: number, of: 1, zone, &n)
            guard case .durable = n.apply(run, on: 0) else { throw Unexpected() }
            #expect(try n.homes[0].store.log(run.signedHead.head.key)?.role == .unknown, "right \(number)")
        }
        // It is acknowledged, so that its sender does not offer it again at once.
        let ninth = try run(under: 9, of: 1, zone, &n)
        #expect(n.apply(ninth, on: 0) == .unwanted(size: ninth.signedHead.head.size))
        #expect(try n.homes[0].store.log(ninth.signedHead.head.key) == nil)
        let other = try run(under: 9, of: 2, zone, &n)
        guard case .durable = n.apply(other, on: 0) else { throw Unexpected() }
        let records = try run(under: 10, of: 2, lane: .data, zone, &n)
        #expect(n.apply(records, on: 0) == .misplaced)
    }

    @Test func `a log under an unknown right waits unless its device is known here and has the role full`() throws {
        var n = try Neighbours([1, 1])  // Alice 0, Bob 1
        let zone = try n.zone(of: 0)
        let run = try run(under: 1, of: 1, zone, &n)
        n.homes[0].strangers = [1]
        #expect(n.apply(run, on: 0) == .misplaced)
        n.homes[0].strangers = []
        guard case .durable = n.apply(run, on: 0) else { throw Unexpected() }
        for role in DeviceRole.allCases {
            let index = try n.addDevice(of: 1, role: role)
            try n.join(zone, on: index, from: 0)
            let run = try self.run(under: 2, of: index, zone, &n)
            if role == .full { try n.remove(index, by: 1) }
            #expect(n.apply(run, on: 0) == .misplaced, "\(role)")
        }
    }

    @Test func `a fork of a log under an unknown right is noted only where the log is held`() throws {
        var n = try Neighbours([3, 1])  // Alice 0 1 2, Bob 3
        let zone = try n.zone(of: 0)
        let one = try run(under: 1, of: 3, content: 1, zone, &n)
        let other = try run(under: 1, of: 3, content: 2, zone, &n)
        guard case .durable = n.apply(one, on: 0), case .fork(let proof) = n.apply(other, on: 0),
            case .durable = n.apply(one, on: 1)
        else { throw Unexpected() }
        for (index, isHeld) in [(1, true), (2, false)] {
            let notice = try n.change(index) { try RunExchange($0).record(proof, random: &$1, in: &$2) }
            #expect((notice.number != nil) == isHeld, "device \(index)")
            let row = try n.homes[index].store.log(one.signedHead.head.key)
            #expect((row != nil) == isHeld && row?.isForked != false, "device \(index)")
        }
    }

    private struct Unexpected: Error {}
}
