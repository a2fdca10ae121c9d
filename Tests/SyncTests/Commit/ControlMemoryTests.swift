import Capabilities
import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

/// The kept resolutions of control logs change no result, and save reading and resolving them again.
@Suite("Control logs that were resolved before")
struct ControlMemoryTests {
    private func committer(_ neighbours: Neighbours, _ memory: ControlMemory, _ index: Int = 0) -> Committer {
        let plain = neighbours.committer(index)
        return Committer(
            keys: plain.keys,
            account: plain.account,
            contacts: plain.accounts,
            keyring: plain.keyring,
            wallMilliseconds: plain.wallMilliseconds,
            controls: memory
        )
    }

    /// Commits an operation without checking whether it is allowed.
    private func say(_ body: ControlBody, in zone: ZoneID, by index: Int, _ neighbours: inout Neighbours) throws {
        try neighbours.change(index) { committer, _, store in
            try LocalWrites(
                zone: zone,
                author: try committer.author(in: zone, store),
                wallMilliseconds: committer.wallMilliseconds,
                sign: { committer.keys.sign($0, context: .treeHead) }
            ).commitControl(body, in: &store)
        }
    }

    @Test(arguments: 0..<24)
    func `a kept resolution equals a complete one, also after a rollback`(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var neighbours = try Neighbours([2, 1, 1], seed: seed + 1)
        let zone = try neighbours.zone(of: 0)
        let memory = ControlMemory()
        var granted: [Hash] = []
        var earlier = neighbours.homes[0].store
        for step in 0..<30 {
            switch dice.next() % 8 {
            case 0 where !granted.isEmpty:
                let ended = granted.remove(at: Int(dice.next() % UInt64(granted.count)))
                try neighbours.change(0) { try ZoneSharing($0).revoke([ended], zone: zone, reason: "", in: &$2) }
            case 1: try say(.unknown(tag: 77, bytes: [UInt8(step)]), in: zone, by: 0, &neighbours)
            case 2: earlier = neighbours.homes[0].store
            case 3:
                // As after a transaction that failed: the store is as it was, and goes on otherwise.
                neighbours.homes[0].store = earlier
                granted = granted.filter {
                    (try? ZoneViews(neighbours.committer(0)).controlState(zone, in: earlier).status(of: $0)) == .live
                }
            case 4:
                neighbours.homes[0].strangers = neighbours.homes[0].strangers.isEmpty ? [1] : []
            case 5: try neighbours.exchange(zone)
            default:
                let level: AccessLevel = dice.next() % 2 == 0 ? .read : .write
                granted.append(try neighbours.grant(level, to: 1 + Int(dice.next() % 2), by: 0, zone: zone))
            }
            let store = neighbours.homes[0].store
            let expected = try ZoneViews(neighbours.committer(0)).controlState(zone, in: store)
            #expect(
                try ZoneViews(committer(neighbours, memory)).controlState(zone, in: store) == expected,
                "step \(step)"
            )
        }
    }

    /// Makes a zone with many operations: half by its owner about rights, half by a member that may only read.
    private func grownZone(_ neighbours: inout Neighbours, count: Int) throws -> ZoneID {
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.read, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        for number in 0..<count / 2 {
            try say(.unknown(tag: 99, bytes: [UInt8(truncatingIfNeeded: number)]), in: zone, by: 1, &neighbours)
            try say(.unknown(tag: 98, bytes: [UInt8(truncatingIfNeeded: number)]), in: zone, by: 0, &neighbours)
        }
        try neighbours.exchange(zone)
        return zone
    }

    @Test(arguments: [20, 400]) func `one more operation reads and decides as many as are new, however many are held`(
        count: Int
    ) throws {
        var neighbours = try Neighbours([1, 1, 1], seed: 4)
        let zone = try grownZone(&neighbours, count: count)
        let memory = ControlMemory()
        _ = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
        /// Returns the number of operations that a body reads, and of those that it decides.
        func work(_ body: (Committer, inout Neighbours) throws -> Void) throws -> [UInt64] {
            let before = memory.work
            try body(committer(neighbours, memory), &neighbours)
            #expect(memory.work.enteredCount == before.enteredCount, "nothing of it is about a key")
            return [memory.work.readCount - before.readCount, memory.work.decidedCount - before.decidedCount]
        }
        var given = Hash.zero
        let terms = Capability.Terms(audience: neighbours.account(2), rights: Rights(.write))
        let granting = try work { committer, n in
            given = try ZoneSharing(committer).grant(terms, zone: zone, random: &n.random, in: &n.homes[0].store).reply
                .id
        }
        #expect(granting == [1, 1])
        let ending = try work { committer, n in
            _ = try ZoneSharing(committer).revoke([given], zone: zone, reason: "", in: &n.homes[0].store)
        }
        #expect(ending == [1, 1])
        // Each operation of a member that floods the zone costs as much as one.
        for _ in 0..<3 {
            try say(.unknown(tag: 99, bytes: [1]), in: zone, by: 1, &neighbours)
            let device = neighbours.homes[1].keys.deviceID
            let row = try #require(
                try neighbours.homes[1].store.logs(zone: zone).first { $0.key.lane == .control && $0.device == device }
            )
            let run = try #require(
                try RunExchange(neighbours.committer(1)).run(
                    row.key,
                    from: row.size - 1,
                    byteCount: 1 << 20,
                    in: neighbours.homes[1].store
                )
            )
            let arriving = try work { committer, n in
                let applied = try RunExchange(committer).apply(
                    run,
                    key: row.key,
                    random: &n.random,
                    in: &n.homes[0].store
                )
                guard case .durable = applied.reply else { throw CommitError.foreignZone(row.key.zone) }
            }
            #expect(arriving == [1, 1])
        }
        // Repeated requests cost nothing.
        let asking = try work { committer, n in
            for _ in 0..<5 { _ = try ZoneViews(committer).controlState(zone, in: n.homes[0].store) }
        }
        #expect(asking == [0, 0])
    }

    @Test func `readers of an older snapshot and writers read only operations that are new to them`() throws {
        var neighbours = try Neighbours([1, 1, 1], seed: 4)
        let zone = try grownZone(&neighbours, count: 100)
        let memory = ControlMemory(isChecked: true)
        _ = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
        let before = memory.work
        for number in 0..<20 {
            let earlier = neighbours.homes[0].store
            try say(.unknown(tag: 98, bytes: [UInt8(number)]), in: zone, by: 0, &neighbours)
            _ = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
            _ = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: earlier)
        }
        // The first reader of an older snapshot finds nothing of it and reads all; each further one follows.
        #expect(memory.work.readCount - before.readCount <= 101 + 2 * 20)
    }

    @Test func `a rolled-back resolution is discarded`() throws {
        var neighbours = try Neighbours([1, 1, 1], seed: 4)
        let zone = try grownZone(&neighbours, count: 100)
        let memory = ControlMemory(isChecked: true)
        let earlier = neighbours.homes[0].store
        for number in 0..<50 { try say(.unknown(tag: 98, bytes: [UInt8(number)]), in: zone, by: 0, &neighbours) }
        _ = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
        neighbours.homes[0].store = earlier
        let before = memory.work
        for number in 0..<200 {
            try say(.unknown(tag: 97, bytes: [UInt8(number)]), in: zone, by: 0, &neighbours)
            _ = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
        }
        #expect(memory.work.readCount - before.readCount <= 101 + 200 + 50)
    }

    @Test(arguments: [4, 40]) func `one more transfer reads and decides one operation, however many there were`(
        count: Int
    ) throws {
        var neighbours = try Neighbours([1, 1], seed: 12)
        let zone = try neighbours.zone(of: 0)
        let memories = [ControlMemory(isChecked: true), ControlMemory(isChecked: true)]
        for number in 0..<count {
            let (owner, other) = (number % 2, 1 - number % 2)
            let before = memories.map(\.work)
            let (maker, taker) = (
                committer(neighbours, memories[owner], owner), committer(neighbours, memories[other], other)
            )
            _ = try ZoneTransfers(maker).transfer(
                zone,
                with: neighbours.consent(of: other, zone: zone, from: owner),
                keeping: nil,
                in: &neighbours.homes[owner].store
            )
            let store = neighbours.homes[owner].store
            for row in try store.logs(zone: zone) where row.key.lane == .control {
                let held = try neighbours.homes[other].store.log(row.key)?.heldSize ?? 0
                guard held < row.size else { continue }
                let run = try #require(try RunExchange(maker).run(row.key, from: held, byteCount: 1 << 20, in: store))
                _ = try RunExchange(taker).apply(
                    run,
                    key: row.key,
                    random: &neighbours.random,
                    in: &neighbours.homes[other].store
                )
            }
            // Both have read the zone's beginning.
            guard number > 1 else { continue }
            for (memory, before) in zip(memories, before) {
                #expect(memory.work.readCount - before.readCount == 1, "transfer \(number)")
                #expect(memory.work.decidedCount - before.decidedCount == 1, "transfer \(number)")
            }
        }
        let state = try ZoneViews(committer(neighbours, memories[0])).controlState(zone, in: neighbours.homes[0].store)
        #expect(state.ownerships.count == count + 1)
    }

    @Test(arguments: [20, 400]) func `one more epoch or delivery enters one, however many are held`(
        count: Int
    ) throws {
        var neighbours = try Neighbours([1, 1], seed: 8)
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.append, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        let memory = ControlMemory(isChecked: true)
        func say(_ body: ControlBody, by index: Int, _ neighbours: inout Neighbours) throws -> UInt64 {
            let before = memory.work
            try self.say(body, in: zone, by: index, &neighbours)
            try neighbours.exchange(zone)
            _ = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
            return memory.work.enteredCount - before.enteredCount
        }
        let epoch = KeyEpoch(previous: [], confirm: .zero, chain: [], envelopes: [])
        for number in 0..<count { _ = try say(.epoch(epoch.encoded), by: number % 2, &neighbours) }
        #expect(try say(.epoch(epoch.encoded), by: 1, &neighbours) == 1)
        #expect(try say(.delivery(KeyDelivery(epoch: .zero, envelopes: []).encoded), by: 0, &neighbours) == 1)
        #expect(try say(.unknown(tag: 99, bytes: []), by: 1, &neighbours) == 0)
    }

    @Test func `the time since which an account participates is known without reading the control log again`() throws {
        var neighbours = try Neighbours([1, 1], seed: 9)
        let zone = try grownZone(&neighbours, count: 40)
        let memory = ControlMemory()
        let committer = committer(neighbours, memory)
        let state = try ZoneViews(committer).controlState(zone, in: neighbours.homes[0].store)
        let before = memory.work
        let times = try ZoneViews(committer).grantTimes(state, zone: zone, in: neighbours.homes[0].store)
        let since = try #require(state.participants[neighbours.account(1)]?.since)
        #expect(times.keys.sorted() == [since])
        #expect(try #require(times[since]) >= neighbours.homes[0].wall)
        #expect(memory.work == before)
    }

    @Test func `a zone that is too large to be cached displaces no other`() throws {
        var neighbours = try Neighbours([1, 1], seed: 6)
        let small = try grownZone(&neighbours, count: 4)
        let large = try grownZone(&neighbours, count: 80)
        let memory = ControlMemory(limit: 40)
        let store = neighbours.homes[0].store
        _ = try ZoneViews(committer(neighbours, memory)).controlState(small, in: store)
        _ = try ZoneViews(committer(neighbours, memory)).controlState(large, in: store)
        let before = memory.work.readCount
        _ = try ZoneViews(committer(neighbours, memory)).controlState(small, in: store)
        #expect(memory.work.readCount == before)
        _ = try ZoneViews(committer(neighbours, memory)).controlState(large, in: store)
        #expect(memory.work.readCount > before, "the large one is read each time")
    }

    @Test func `an account that becomes known updates the kept resolution without reading operations`() throws {
        var neighbours = try Neighbours([1, 1], seed: 5)
        let zone = try grownZone(&neighbours, count: 20)
        let memory = ControlMemory()
        neighbours.homes[0].strangers = [1]
        let before = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
        #expect(before.unknownAccounts == [neighbours.account(1)])
        let read = memory.work.readCount
        neighbours.homes[0].strangers = []
        let after = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
        #expect(after.unknownAccounts.isEmpty)
        #expect(memory.work.readCount == read)
    }
}
