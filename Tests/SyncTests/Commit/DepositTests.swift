import Capabilities
import Identity
import Records
import Sodium
import Sync
import Testing
import Wire

@Suite("A deposit above a cut")
struct DepositTests {
    /// Alice (0, 1) owns the zone, Bob (2) administers it or has another right, Carol (3, 4) wrote until she was
    /// revoked.
    private func ended(bob: AccessLevel = .admin, seed: UInt64 = 1) throws -> (n: Neighbours, zone: ZoneID, right: Hash)
    {
        var n = try Neighbours([2, 1, 2], seed: seed)
        let zone = try n.zone(of: 0)
        _ = try n.grant(bob, to: 1, by: 0, zone: zone)
        let right = try n.grant(.write, to: 2, by: 0, zone: zone)
        try n.exchange(zone)
        try n.write("a", "carol", on: 3, zone: zone)
        try n.exchange(zone)
        try n.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        return (n, zone, right)
    }

    @Test func `is kept without any effect, adopted by one and shown by all`() throws {
        var (n, zone, _) = try ended()
        try n.write("a", "late", on: 3, zone: zone)
        try n.write("b", "late", on: 4, zone: zone)
        try n.settle(zone)
        // Carol knows by now that she is revoked.
        let digests = try n.digests(zone, of: [0, 1, 2, 3, 4])
        #expect(digests.count == 1)
        let told = try n.told(zone, on: 0)
        for target in [0, 2] {
            for source in [3, 4] { #expect(try !n.deposit(zone, from: source, to: target).isEmpty) }
            #expect(try n.quarantine(zone, on: target).map(\.name).sorted() == ["a", "b"], "device \(target)")
            #expect(try n.text("a", on: target, zone: zone) == "carol")
            #expect(try n.text("b", on: target, zone: zone) == nil)
        }
        #expect(try n.digests(zone, of: [0, 1, 2, 3, 4]) == digests)
        #expect(try n.told(zone, on: 0).filter { $0.size > 0 } == told.filter { $0.size > 0 })
        try n.settle(zone)
        #expect(try n.quarantine(zone, on: 1).isEmpty, "it is not passed on")
        for entry in try n.quarantine(zone, on: 0) {
            #expect(try n.change(0) { try QuarantineDecisions($0).adopt(entry.dot, zone: zone, in: &$2).reply })
            // At once, by another member.
            #expect(try n.change(2) { try QuarantineDecisions($0).adopt(entry.dot, zone: zone, in: &$2).reply })
        }
        try n.settle(zone)
        for index in 0...2 {
            #expect(try n.text("a", on: index, zone: zone) == "late", "device \(index)")
            #expect(try n.text("b", on: index, zone: zone) == "late", "device \(index)")
            #expect(try n.quarantine(zone, on: index).isEmpty, "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1, 2]).count == 1)
        // Deposited once more it is there, and adopted.
        for source in [3, 4] { try n.deposit(zone, from: source, to: 0) }
        #expect(try n.quarantine(zone, on: 0).isEmpty)
    }

    @Test func `is effective once when two devices adopt it`() throws {
        var (n, zone, _) = try ended()
        let write = RecordWrite(name: "sum", type: "note", increments: [.init(field: "count", amount: 5)])
        try n.change(3) { _ = try $0.commit([WriteRequest([write])], zone: zone, in: &$2) }
        try n.settle(zone)
        for target in [0, 2] {
            try n.deposit(zone, from: 3, to: target)
            let entry = try #require(try n.quarantine(zone, on: target).first)
            #expect(try n.change(target) { try QuarantineDecisions($0).adopt(entry.dot, zone: zone, in: &$2).reply })
        }
        try n.settle(zone)
        for index in 0...2 {
            let store = n.homes[index].store
            let row = try store.record(zone: zone, tag: try RecordTag(of: "sum", zone: zone, in: store))
            guard case .counter(let state)? = try row?.content().field(named: "count")?.winner?.value else {
                Issue.record("device \(index) shows no counter")
                continue
            }
            #expect(state.entries.reduce(Int64(0)) { $0 + $1.total } == 5, "device \(index)")
        }
    }

    @Test func `is accepted by the owner from a device that its account removed`() throws {
        var n = try Neighbours([3])
        let zone = try n.zone(of: 0)
        try n.write("a", "before", on: 2, zone: zone)
        try n.exchange(zone)
        try n.remove(2, by: 0)
        try n.write("a", "after", on: 2, zone: zone)
        try n.exchange(zone, among: [0, 1])
        let digests = try n.digests(zone, of: [0, 1])
        #expect(try n.deposit(zone, from: 2, to: 0) == [.durable(size: 2, operations: 1)])
        #expect(try n.digests(zone, of: [0, 1]) == digests)
        #expect(try n.quarantine(zone, on: 0).map(\.reason) == [.aboveCut])
        let dot = try #require(try n.quarantine(zone, on: 0).first?.dot)
        _ = try n.change(0) { try QuarantineDecisions($0).purge(dot, zone: zone, in: &$2) }
        try n.deposit(zone, from: 2, to: 0)
        #expect(try n.quarantine(zone, on: 0).isEmpty, "what was purged does not come back")
        // Others are served up to the cut and no further.
        let key = LogKey(zone: zone, actor: dot.actor, lane: .data)
        let run = try RunExchange(n.committer(0)).run(key, from: 0, byteCount: 1 << 20, in: n.homes[0].store)
        #expect(run?.signedHead.head.size == 1)
    }

    @Test func `is named by the notice of each decision about it`() throws {
        var (n, zone, _) = try ended()
        try n.write("a", "late", on: 3, zone: zone)
        try n.write("b", "late", on: 4, zone: zone)
        try n.settle(zone)
        for source in [3, 4] { try n.deposit(zone, from: source, to: 0) }
        let entries = try n.quarantine(zone, on: 0)
        let (first, second) = (
            try #require(entries.first { $0.name == "a" }), try #require(entries.first { $0.name == "b" })
        )
        let adopted = try n.change(0) { try QuarantineDecisions($0).adopt(first.dot, zone: zone, in: &$2) }
        #expect(adopted.reply && adopted.notice.number != nil && adopted.notice.quarantines == [zone])
        let again = try n.change(0) { try QuarantineDecisions($0).adopt(first.dot, zone: zone, in: &$2) }
        #expect(!again.reply && again.notice.number == nil)
        let purged = try n.change(0) { try QuarantineDecisions($0).purge(second.dot, zone: zone, in: &$2) }
        #expect(purged.number != nil && purged.quarantines == [zone])
    }

    /// Makes a device that has written a record four times; the device that removed it holds none of these writes and
    /// another one two.
    private func removedWriter(forgetting: Bool) throws -> (neighbours: Neighbours, zone: ZoneID) {
        var n = try Neighbours([3])
        let zone = try n.zone(of: 0)
        try n.write("a", "before", on: 2, zone: zone)
        try n.exchange(zone)
        for number in 1...4 {
            try n.write("b", "\(number)", on: 2, zone: zone)
            if number == 2 { try n.pull(zone, from: 2, to: 1) }
        }
        if forgetting { #expect(try n.checkpoint(zone, on: 2) != nil) }
        try n.remove(2, by: 0)
        try n.exchange(zone, among: [0, 1])
        #expect(try n.quarantine(zone, on: 1).map(\.dot.counter) == [2, 3])
        return (n, zone)
    }

    @Test func `continues over operations that its author has pruned, if they were superseded`() throws {
        var (n, zone) = try removedWriter(forgetting: true)
        try n.write("c", "after", on: 2, zone: zone)
        #expect(try n.deposit(zone, from: 2, to: 1) == [.durable(size: 6, operations: 3)])
        #expect(try n.quarantine(zone, on: 1).map(\.dot.counter) == [2, 5, 6])
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `adopts no operation that it does not supersede`() throws {
        var (n, zone) = try removedWriter(forgetting: false)
        let own = n.homes[2].keys.deviceID
        let key = try #require(
            try n.homes[2].store.logs(zone: zone).first { $0.device == own && $0.key.lane == .data }?.key
        )
        let run = try #require(
            try RunExchange(n.committer(2)).deposit(key, above: 1, byteCount: 1 << 20, in: n.homes[2].store)
        )
        let leaves = run.items.compactMap { item -> Hash? in
            if case .operation(let operation) = item { operation.header.leafHash } else { nil }
        }
        #expect(leaves.count == 4)
        // A thief of the device claims that it has pruned the second write, and all that follow.
        let gaps = [SubtreeGap(level: 0, index: 4, hash: leaves[3])]
        let both = Hash(digesting: .treeNode, leaves[1].bytes + leaves[2].bytes)
        let thief = Run(
            signedHead: run.signedHead,
            from: run.from,
            checkpoint: .zero,
            items: [run.items[0], .gap(SubtreeGap(level: 1, index: 1, hash: both))] + gaps.map { .gap($0) }
        )
        _ = n.keep(thief, on: 1)
        #expect(try n.quarantine(zone, on: 1).map(\.dot.counter) == [2, 3])
        _ = n.keep(run, on: 1)
        #expect(try n.quarantine(zone, on: 1).map(\.dot.counter) == [2, 3, 4, 5])
    }

    @Test func `is refused by devices that do not rule the zone, and by devices that did not ask for it`() throws {
        var (n, zone, _) = try ended(bob: .write)
        try n.write("b", "late", on: 3, zone: zone)
        try n.settle(zone)
        try n.deposit(zone, from: 3, to: 2)
        #expect(try n.quarantine(zone, on: 2).isEmpty)
        let row = try #require(
            try n.homes[3].store.logs(zone: zone).first {
                $0.device == n.homes[3].keys.deviceID && $0.key.lane == .data
            }
        )
        let run = try #require(
            try RunExchange(n.committer(3)).deposit(row.key, byteCount: 1 << 20, in: n.homes[3].store)
        )
        _ = n.apply(run, on: 0)
        #expect(try n.quarantine(zone, on: 0).isEmpty)
    }

    @Test func `becomes effective when the owner raises the cut, including records that no other device had`() throws {
        var (n, zone, right) = try ended()
        try n.write("a", "late", on: 3, zone: zone)
        try n.write("b", "late", on: 4, zone: zone)
        try n.settle(zone)
        for source in [3, 4] { try n.deposit(zone, from: source, to: 0) }
        try n.change(0) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        try n.settle(zone)
        for index in n.homes.indices {
            #expect(try n.text("a", on: index, zone: zone) == "late", "device \(index)")
            #expect(try n.text("b", on: index, zone: zone) == "late", "device \(index)")
        }
        #expect(try n.digests(zone, of: [0, 1, 2, 3, 4]).count == 1)
    }

    @Test func `is bounded for each log, and logs for each right of another account`() throws {
        var (n, zone, right) = try ended()
        func write(_ count: Int, _ name: String) throws {
            let writes = (0..<count).map { RecordWrite(name: "\(name)\($0)", type: "note") }
            try n.change(3) { _ = try $0.commit([WriteRequest(writes, isAtomic: false)], zone: zone, in: &$2) }
        }
        let own = try n.committer(3).author(in: zone, n.homes[3].store).actor
        let key = LogKey(zone: zone, actor: own, lane: .data)
        try write(600, "first")
        let first = n.homes[3].store
        try write(500, "second")
        let run = try #require(
            try RunExchange(n.committer(3)).run(key, from: 1, byteCount: 1 << 24, in: n.homes[3].store)
        )
        #expect(run.signedHead.head.size == 1_101)
        try n.exchange(zone, among: [0, 1])
        _ = n.keep(run, on: 0)
        #expect(try n.quarantine(zone, on: 0).isEmpty, "it is too much at once")
        try n.pull(zone, from: 0, to: 3)
        #expect(try n.deposit(zone, from: 3, to: 0).count == 1)
        #expect(try n.quarantine(zone, on: 0).count == 600)
        // One device begins log after log.
        n.homes[3].store = first
        for _ in 0..<20 {
            try n.change(3) { committer, random, store in
                let now = try #require(try store.incarnation())
                _ = try RollbackRecovery(committer).renewedIncarnation(if: now, random: &random, in: &store)
            }
            try write(1, "more")
        }
        try n.pull(zone, from: 0, to: 3)
        try n.deposit(zone, from: 3, to: 0)
        let logs = try n.homes[0].store.logs(zone: zone).filter { $0.right == right && $0.size > $0.cut?.size ?? .max }
        #expect(logs.count == 16)
    }

    @Test func `uses no place of another device that the account removed`() throws {
        var n = try Neighbours([3])
        let zone = try n.zone(of: 0)
        for device in [1, 2] { try n.write("\(device)", "before", on: device, zone: zone) }
        try n.exchange(zone)
        for device in [1, 2] { try n.remove(device, by: 0) }
        // A thief begins log after log.
        for number in 0..<20 {
            try n.change(2) { committer, random, store in
                let now = try #require(try store.incarnation())
                _ = try RollbackRecovery(committer).renewedIncarnation(if: now, random: &random, in: &store)
            }
            try n.write("thief \(number)", "late", on: 2, zone: zone)
        }
        try n.deposit(zone, from: 2, to: 0)
        #expect(try n.quarantine(zone, on: 0).count == 16)
        try n.write("1", "late", on: 1, zone: zone)
        #expect(try n.deposit(zone, from: 1, to: 0) == [.durable(size: 2, operations: 1)])
        #expect(try n.quarantine(zone, on: 0).count == 17)
    }
}
