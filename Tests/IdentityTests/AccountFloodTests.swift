import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// Room in an account's log, for devices that remove others and for the removed ones.
@Suite struct `A flood of account entries` {
    typealias Fixture = AccountFixture

    /// Devices 0 to 2; device 1 is in the hands of a thief, and 10 to 17 are the devices that it adds.
    private func household() throws -> AccountLog {
        var log = try Fixture.newLog()
        for index in 1...2 { _ = try log.add(try Fixture.addition(index), by: Fixture.signer(0)) }
        return log
    }

    /// Returns eight additions by device 1 over a past, and 512 entries of no meaning by each of the devices, in an
    /// order in which the log accepts them.
    private func flood(over log: AccountLog, after parents: [Hash]? = nil, byteCount: Int = 2) throws -> [[UInt8]] {
        let past = parents ?? log.heads
        var entries: [[UInt8]] = []
        for index in 10...17 {
            let addition = try Fixture.forge(
                try Fixture.addition(index),
                in: log,
                parents: past,
                signer: Fixture.signer(1)
            )
            entries.append(addition)
            let name = try UnverifiedAccountEntry(addition).hash
            entries += try junk(512, by: index, in: log, after: [name], byteCount: byteCount)
        }
        return entries
    }

    private func junk(
        _ count: Int,
        by index: Int,
        in log: AccountLog,
        after parents: [Hash],
        byteCount: Int = 2,
        nonce: UInt8 = 0
    ) throws -> [[UInt8]] {
        try (0..<count).map { number in
            var bytes = [UInt8](repeating: 0, count: byteCount)
            (bytes[0], bytes[1]) = (UInt8(number >> 8), UInt8(number & 0xFF))
            return try Fixture.forge(
                .unknown(tag: 99, bytes: bytes),
                in: log,
                parents: parents,
                signer: Fixture.signer(index),
                nonce: nonce
            )
        }
    }

    /// Returns eight times 62 entries of no meaning by a device, each time with one that descends from them, and the
    /// name of the last one, which descends from all.
    private func rounds(
        by index: Int,
        in log: AccountLog,
        after parents: [Hash]
    ) throws -> (entries: [[UInt8]], last: Hash) {
        var entries: [[UInt8]] = []
        var last = log.genesisHash
        for round in 0..<8 {
            let part = try junk(62, by: index, in: log, after: round == 0 ? parents : [last], nonce: UInt8(round))
            let join = try Fixture.forge(
                .unknown(tag: 98, bytes: [UInt8(round)]),
                in: log,
                parents: try part.map { try UnverifiedAccountEntry($0).hash }.sorted(),
                signer: Fixture.signer(index)
            )
            entries += part + [join]
            last = try UnverifiedAccountEntry(join).hash
        }
        return (entries, last)
    }

    /// Returns a household with nearly as many entries as there is room for beside removals and those by the words.
    private func crowdedLog() throws -> AccountLog {
        var log = try household()
        for index in 10...12 {
            _ = try log.add(try Fixture.addition(index), by: Fixture.signer(1))
            pour(try rounds(by: index, in: log, after: log.heads).entries, into: &log)
        }
        return log
    }

    /// Inserts entries in one message after the other, as they come from a peer.
    private func pour(_ entries: [[UInt8]], into log: inout AccountLog) {
        var rest = entries[...]
        while !rest.isEmpty {
            do {
                try log.insert(contentsOf: Array(rest.prefix(1_000)))
            } catch {
                #expect(!error.isBearersFault, "\(error)")
            }
            rest = rest.dropFirst(1_000)
        }
    }

    /// A log with room for one ineffective entry, from whose account device 1 was removed; and two late entries by that
    /// device, of which the second displaces the first.
    private func narrowLog() throws -> (log: AccountLog, first: [UInt8], second: [UInt8]) {
        var log = try AccountLog(genesis: try Fixture.newLog().genesisBytes, looseCountMax: 1)
        _ = try log.add(try Fixture.addition(1), by: Fixture.signer(0))
        let old = log.heads
        _ = try log.add(Fixture.removal(1, keeping: old), by: Fixture.signer(0))
        // Of the same generation, the one with the smaller name stays.
        let entries = try junk(2, by: 1, in: log, after: old).sorted { left, right in
            try UnverifiedAccountEntry(left).hash > UnverifiedAccountEntry(right).hash
        }
        return (log, entries[0], entries[1])
    }

    private func expectRoom(in log: inout AccountLog) throws {
        var generator = SeededGenerator(seed: 11)
        let certificate = try Fixture.certificate(20)
        var entry = try log.addingDevice(
            certificate,
            role: .full,
            name: "new",
            signer: Fixture.signer(0),
            using: &generator
        )
        #expect(try log.insert(entry.encoded))
        #expect(log.standing(20) == .active(.full))
        entry = try log.removingDevice(Fixture.device(20), witness: nil, signer: Fixture.signer(0), using: &generator)
        #expect(try log.insert(entry.encoded))
        #expect(log.standing(20) == .removed)
        let words = AccountSigner.recovery(Fixture.recoveryKeys[0])
        entry = try log.addingDevice(
            try Fixture.certificate(21),
            role: .full,
            name: "newer",
            signer: words,
            using: &generator
        )
        #expect(try log.insert(entry.encoded))
        #expect(log.standing(21) == .active(.full))
        entry = try log.removingDevice(Fixture.device(2), witness: nil, signer: words, using: &generator)
        #expect(try log.insert(entry.encoded))
        #expect(log.standing(2) == .removed)
    }

    @Test func `by a removed device over an old past closes the log to no device`() throws {
        var log = try household()
        let old = log.heads
        _ = try log.add(Fixture.removal(1, keeping: old), by: Fixture.signer(0))
        pour(try flood(over: log, after: old), into: &log)
        #expect(log.count <= 4 + AccountRoom.loose.entryCount)
        try expectRoom(in: &log)
    }

    @Test func `by a device that belongs to the account closes the log neither to its removal nor to the words`() throws
    {
        var log = try household()
        pour(try flood(over: log), into: &log)
        var generator = SeededGenerator(seed: 12)
        var words = log
        let byWords = try words.removingDevice(
            Fixture.device(1),
            witness: nil,
            signer: .recovery(Fixture.recoveryKeys[0]),
            using: &generator
        )
        #expect(try words.insert(byWords.encoded))
        #expect(words.standing(1) == .removed)
        for index in [1] + Array(10...17) where log.standing(index) == .active(.full) {
            let removal = try log.removingDevice(
                Fixture.device(index),
                witness: nil,
                signer: Fixture.signer(0),
                using: &generator
            )
            #expect(try log.insert(removal.encoded), "device \(index)")
            #expect(log.standing(index) == .removed)
        }
        #expect(Set(log.state.activeDevices) == [Fixture.device(0), Fixture.device(2)])
        try expectRoom(in: &log)
    }

    @Test func `that reached one replica alone does not keep the removal from it`() throws {
        var first = try household()
        var second = first
        pour(try flood(over: second), into: &second)
        pour(try junk(512, by: 1, in: second, after: second.genesisChildren), into: &second)
        var generator = SeededGenerator(seed: 13)
        let removal = try first.removingDevice(
            Fixture.device(1),
            witness: nil,
            signer: Fixture.signer(0),
            using: &generator
        )
        try first.insert(removal.encoded)
        pour(first.entries(notIn: second.announcedHeads), into: &second)
        #expect(second.standing(1) == .removed)
        pour(second.entries(notIn: first.announcedHeads), into: &first)
        #expect(first.state == second.state)
        #expect(first.announcedHeads == second.announcedHeads)
        try expectRoom(in: &second)
    }

    @Test func `displaces nothing that others wrote and that the words bring back`() throws {
        var log = try household()
        let heads = log.heads
        _ = try log.add(try Fixture.addition(3), by: Fixture.signer(2))
        _ = try log.add(.pairKey([UInt8](repeating: 7, count: 32)), by: Fixture.signer(3))
        _ = try log.add(Fixture.removal(2), by: Fixture.signer(1), after: heads)
        #expect(log.standing(2) == .removed && log.standing(3) == .unknown)
        // No entry of device 1 is effective after this, and it floods.
        _ = try log.add(Fixture.removal(1, keeping: heads), by: Fixture.signer(0), after: heads)
        pour(try flood(over: log, after: heads), into: &log)
        _ = try log.add(
            Fixture.removal(1, keeping: heads),
            by: .recovery(Fixture.recoveryKeys[0]),
            after: log.heads
        )
        #expect(log.standing(1) == .removed)
        #expect(log.standing(2) == .active(.full) && log.standing(3) == .active(.full))
        #expect(log.state.pairKey != nil)
    }

    @Test func `leaves the same entries in any order of arrival`() throws {
        var log = try household()
        let old = log.heads
        _ = try log.add(Fixture.removal(1, keeping: old), by: Fixture.signer(0))
        let entries = Array(try flood(over: log, after: old).prefix(1_300))
        // Parents before children: the three additions come first.
        let isAddition = try entries.map { bytes in
            if case .addDevice = try UnverifiedAccountEntry(bytes).signed.entry.action { true } else { false }
        }
        let additions = zip(entries, isAddition).filter(\.1).map(\.0)
        let rest = zip(entries, isAddition).filter { !$0.1 }.map(\.0)
        #expect(additions.count == 3)
        var remains: Set<Set<[UInt8]>> = []
        var generator = SeededGenerator(seed: 14)
        for _ in 0..<3 {
            var copy = log
            try copy.insert(contentsOf: additions.shuffled(using: &generator) + rest.shuffled(using: &generator))
            remains.insert(Set(copy.storedEntries))
            #expect(copy.state == log.state && copy.entries == log.entries)
            #expect(copy.count == log.count + AccountRoom.loose.entryCount)
        }
        #expect(remains.count == 1)
    }

    @Test func `changes the revision with each entry that displaces another, and with none that is not kept`() throws {
        var (log, first, second) = try narrowLog()
        let start = log
        #expect(try log.insert(first))
        #expect(log.count == start.count + 1 && log.revision > start.revision)
        let full = log
        #expect(try log.insert(second))
        #expect(log.storedNames.count == full.count && log.storedNames != full.storedNames)
        #expect(log.revision > full.revision)
        let last = log
        #expect(try !log.insert(first))
        #expect(log.storedNames == last.storedNames && log.revision == last.revision)
    }

    @Test func `of which an entry that is refused itself displaces some changes the revision as well`() throws {
        var log = try household()
        let old = log.heads
        let removal = try log.add(Fixture.removal(1, keeping: old), by: Fixture.signer(0))
        pour(try junk(AccountRoom.plainPerDevice.entryCount + 1, by: 1, in: log, after: old), into: &log)
        let words = AccountSigner.recovery(Fixture.recoveryKeys[0])
        let byWords = try (0..<AccountRoom.recovery.entryCount).map { number in
            let bytes = [UInt8(number >> 8), UInt8(number & 0xFF)]
            return try Fixture.forge(.unknown(tag: 98, bytes: bytes), in: log, parents: old, signer: words)
        }
        pour(byWords, into: &log)
        let before = log
        #expect(before.count == 5 + AccountRoom.plainPerDevice.entryCount + AccountRoom.recovery.entryCount)
        // It would make the entries of device 1 effective, one more than there is room for. For itself there is none.
        let action = Fixture.removal(0, keeping: old)
        let undoing = try Fixture.forge(action, in: log, parents: [removal], signer: words)
        #expect(throws: AccountError.full) { try log.insert(undoing) }
        #expect(log.count == before.count - 1 && log.state == before.state)
        #expect(log.revision > before.revision)
    }

    @Test func `that displaces earlier entries leaves those by new recovery words effective`() throws {
        var (log, first, second) = try narrowLog()
        let keys = Fixture.recoveryKeys
        #expect(try log.insert(first))
        _ = try log.add(.replaceRecoveryKey(keys[1].publicKey.bytes), by: .recovery(keys[0]), after: log.heads)
        _ = try log.add(try Fixture.addition(7), by: .recovery(keys[1]), after: log.heads)
        // The entries by the words came after the first one, and have other places without it.
        #expect(try log.insert(second))
        #expect(!log.storedEntries.contains(first))
        // Each entry that comes makes the state anew.
        _ = try log.add(try Fixture.addition(8), by: Fixture.signer(0), after: log.heads)
        #expect(log.standing(7) == .active(.full) && log.standing(8) == .active(.full))
        _ = try log.add(.replaceRecoveryKey(keys[2].publicKey.bytes), by: .recovery(keys[1]), after: log.heads)
        #expect(log.state.recoveryKey == keys[2].publicKey && log.standing(7) == .active(.full))
        #expect(try AccountLog(stored: log.storedEntries).state == log.state)
    }

    @Test func `does not keep the words from removing a device whose additions are not effective any more`() throws {
        var log = try household()
        _ = try log.add(try Fixture.addition(3), by: Fixture.signer(0))
        let old = log.heads
        // Device 1 adds one of its own, which removes device 2. The removal of device 1 disowns both additions.
        let addition = try log.add(try Fixture.addition(10), by: Fixture.signer(1), after: old)
        let again = try log.add(try Fixture.addition(10), by: Fixture.signer(1), after: old, nonce: 1)
        _ = try log.add(Fixture.removal(2), by: Fixture.signer(10), after: [addition])
        _ = try log.add(Fixture.removal(10), by: Fixture.signer(0), after: [addition])
        _ = try log.add(Fixture.removal(1, keeping: old), by: Fixture.signer(0), after: old)
        #expect(log.standing(2) == .removed && log.standing(10) == .removed)
        #expect(log.state.devices[Fixture.device(10)] == nil && log.contains(again))
        // So many that a new entry names no heads on which it does not rest.
        for index in [0, 3] { pour(try junk(300, by: index, in: log, after: old), into: &log) }
        var generator = SeededGenerator(seed: 15)
        let entry = try log.removingDevice(
            Fixture.device(10),
            witness: nil,
            on: Fixture.device(2),
            recoveryKey: Fixture.recoveryKeys[0],
            using: &generator
        )
        #expect(entry.entry.parents == [addition], "one of them is enough")
        #expect(try log.insert(entry.encoded))
        #expect(log.standing(10) == .removed && log.standing(2) == .active(.full))
    }

    @Test func `does not hide another device's concurrent entries from devices that have the rest`() throws {
        var first = try household()
        let past = first.heads
        // More heads than are sent, all of them of a greater generation than entries with a short past, as new
        // entries have in a crowded log.
        let base = try first.add(.unknown(tag: 98, bytes: []), by: Fixture.signer(1), after: past)
        pour(try junk(100, by: 1, in: first, after: [base]), into: &first)
        var second = first
        _ = try second.add(try Fixture.addition(3), by: Fixture.signer(0), after: past)
        #expect(first.announcedHeads != second.announcedHeads)
        #expect(second.announcedHeads.count == Limits.accountHeadCountMax)
        pour(second.entries(notIn: first.announcedHeads), into: &first)
        #expect(first.standing(3) == .active(.full))
        #expect(first.announcedHeads == second.announcedHeads)
    }

    @Test func `by one device takes the room of that device, and 64 of its heads are sent`() throws {
        var log = try household()
        pour(try junk(600, by: 1, in: log, after: log.heads), into: &log)
        #expect(log.count == 3 + AccountRoom.plainPerDevice.entryCount)
        #expect(log.heads.count == AccountRoom.plainPerDevice.entryCount)
        #expect(log.announcedHeads.count == Limits.accountHeadCountMax)
        #expect(log.announcedHeads.last?.isOfManyHeads == true, "the hash that stands for all of them")
        #expect(!log.heads.contains { $0.isOfManyHeads })
        try expectRoom(in: &log)
    }

    @Test func `of removals leaves each device that was here first some more`() throws {
        var log = try household()
        let past = log.heads
        let removals = try (0..<AccountRoom.removals.entryCount + 20).map { number in
            let entry = AccountEntry(
                account: log.account,
                parents: past,
                author: Fixture.signer(1).author,
                nonce: [UInt8](repeating: UInt8(number & 0xFF), count: 15) + [UInt8(number >> 8)],
                action: Fixture.removal(2)
            )
            return try Fixture.signer(1).sign(entry).encoded
        }
        pour(removals, into: &log)
        #expect(log.count == 3 + AccountRoom.removals.entryCount + AccountRoom.removalsPerDevice.entryCount)
        _ = try log.add(Fixture.removal(1, keeping: past), by: Fixture.signer(0), after: past)
        #expect(log.standing(1) == .removed)
    }

    @Test func `that a removal descends from is read from the disk as well`() throws {
        // More than the room of these entries, and a removal that descends from all of them.
        var log = try crowdedLog()
        let chain = try junk(200, by: 2, in: log, after: log.heads)
        let removal = try Fixture.forge(
            Fixture.removal(0),
            in: log,
            parents: try chain.suffix(64).map { try UnverifiedAccountEntry($0).hash }.sorted(),
            signer: Fixture.signer(2)
        )
        pour(chain + [removal], into: &log)
        #expect(log.standing(0) == .removed)
        #expect(log.nodes.count { !$0.isRemoval } > AccountRoom.plain.entryCount)
        let copy = try AccountLog(stored: log.storedEntries)
        #expect(copy.state == log.state && copy.storedEntries == log.storedEntries)
    }

    @Test func `that a removal descends from is dropped with the removal beyond the room that it may inherit`() throws {
        var log = try crowdedLog()
        let before = log.count
        let (entries, last) = try rounds(by: 2, in: log, after: log.heads)
        #expect(before + entries.count > (AccountRoom.plain + AccountRoom.inherited).entryCount)
        let removal = try Fixture.forge(Fixture.removal(0), in: log, parents: [last], signer: Fixture.signer(2))
        pour(entries + [removal], into: &log)
        #expect(log.standing(0) == .active(.full))
        #expect(log.count == AccountRoom.plain.entryCount && log.count > before)
    }

    @Test func `by devices that one device adds takes no more than that device's part from another one`() throws {
        var log = try AccountLog(genesis: try Fixture.newLog().genesisBytes, looseCountMax: 8)
        for index in 1...2 { _ = try log.add(try Fixture.addition(index), by: Fixture.signer(0)) }
        let old = log.heads
        for index in 1...2 { _ = try log.add(Fixture.removal(index, keeping: old), by: Fixture.signer(0)) }
        var flood: [[UInt8]] = []
        for index in 10...11 {
            let action = try Fixture.addition(index)
            let addition = try Fixture.forge(action, in: log, parents: old, signer: Fixture.signer(1))
            let name = try UnverifiedAccountEntry(addition).hash
            flood += try [addition] + junk(8, by: index, in: log, after: [name])
        }
        // Each descends from the one before, so that most have a later place than those of the flood.
        var others: [[UInt8]] = []
        for number in UInt8(0)..<8 {
            let parents = try others.last.map { [try UnverifiedAccountEntry($0).hash] } ?? old
            others += try junk(1, by: 2, in: log, after: parents, nonce: number)
        }
        #expect(try log.insert(contentsOf: flood + others) == 8)
        let kept = Set(log.storedEntries)
        #expect(others.filter { kept.contains($0) } == Array(others.prefix(4)))
        #expect(flood.count { kept.contains($0) } == 4)
    }

    @Test func `is read from the disk as it was written`() throws {
        var log = try household()
        pour(try flood(over: log), into: &log)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0), after: Array(log.heads.prefix(64)))
        let stored = log.storedEntries
        #expect(stored.count <= AccountLog.entryCountMax)
        let copy = try AccountLog(stored: stored)
        #expect(copy.state == log.state && copy.storedEntries == stored)
        #expect(copy.announcedHeads == log.announcedHeads)
    }

    @Test func `of large entries is bounded in bytes and leaves room as well`() throws {
        var log = try household()
        let old = log.heads
        _ = try log.add(Fixture.removal(1, keeping: old), by: Fixture.signer(0))
        pour(try junk(512, by: 1, in: log, after: old, byteCount: 60_000), into: &log)
        let held = log.nodes.reduce(0) { $0 + $1.verified.bytes.count }
        #expect(held < 8 * 1_048_576)
        try expectRoom(in: &log)
    }
}

extension AccountLog {
    /// The heads without those of the flood.
    fileprivate var genesisChildren: [Hash] { [entryHashes[1]] }
}
