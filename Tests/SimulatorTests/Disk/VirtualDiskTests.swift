import Sync
import Testing

@testable import Simulator

@Suite struct VirtualDiskTests {
    private func disk() throws -> VirtualDisk {
        var random = Simulator.SeededGenerator(seed: 1)
        let account = try FoundedAccount(deviceCount: 1, hasPartialLogs: false, random: &random)
        return VirtualDisk(node: 0, keys: DiskKeys(device: account.members[0].device, keyring: account.keyring))
    }

    /// Returns a store that is recognised by its number.
    private func store(_ number: Int) throws -> MemoryStore {
        var store = MemoryStore(feedIdentity: [UInt8](repeating: 7, count: 16))
        for _ in 0..<number { _ = try store.nextCommitNumber() }
        return store
    }

    private func number(_ store: MemoryStore?) throws -> UInt64? {
        guard var store else { return nil }
        return try store.nextCommitNumber() - 1
    }

    @Test func `synced writes survive every loss of power`() throws {
        for seed in 0..<50 as Range<UInt64> {
            var random = Simulator.SeededGenerator(seed: seed)
            let disk = try disk()
            try disk.write(store(1))
            try disk.sync()
            disk.losePower(at: 0, using: &random)
            #expect(try number(disk.database) == 1)
        }
    }

    @Test
    func `unsynced writes are not visible, and may survive a loss of power, but only in order`()
        throws
    {
        var found: Set<UInt64?> = []
        for seed in 0..<100 as Range<UInt64> {
            var random = Simulator.SeededGenerator(seed: seed)
            let disk = try disk()
            try disk.write(store(1))
            try disk.sync()
            try disk.write(store(2))
            try disk.write(store(3))
            #expect(try number(disk.database) == 1)
            disk.losePower(at: 0, using: &random)
            found.insert(try number(disk.database))
        }
        #expect(found == [1, 2, 3])
    }

    @Test func `a sentinel may come back older, newer or damaged, an account log only whole`() throws {
        var sentinels: Set<[UInt8]?> = []
        for seed in 0..<300 as Range<UInt64> {
            var random = Simulator.SeededGenerator(seed: seed)
            let disk = try disk()
            try disk.writeDurably([1, 1], to: .accountLog)
            for version in 1...3 as ClosedRange<UInt8> { try disk.write([version, version], to: .sentinel, at: 0) }
            disk.losePower(at: 0, using: &random)
            sentinels.insert(disk.contents(of: .sentinel))
            #expect(disk.contents(of: .accountLog) == [1, 1])
        }
        #expect(sentinels.isSuperset(of: [nil, [1, 1], [2, 2], [3, 3]]))
        #expect(sentinels.contains([3]), "a part of the newest")
    }

    @Test func `old writes are on the disk, synced or not`() throws {
        for seed in 0..<50 as Range<UInt64> {
            var random = Simulator.SeededGenerator(seed: seed)
            let disk = try disk()
            try disk.write([1], to: .sentinel, at: 0)
            disk.losePower(at: 60_000, using: &random)
            #expect(disk.contents(of: .sentinel) == [1])
        }
    }

    @Test func `a full disk refuses writes and still answers reads`() throws {
        let disk = try disk()
        try disk.write(store(1))
        try disk.sync()
        disk.faults.isFull = true
        #expect(throws: StorageError.self) { try disk.write(store(2)) }
        #expect(try number(disk.read()) == 1)
        disk.faults.isFull = false
        try disk.write(store(2))
        try disk.sync()
        #expect(try number(disk.read()) == 2)
    }

    @Test func `an operation fails, or the power is lost, at the requested moment`() throws {
        let disk = try disk()
        disk.faults.operationsUntilFailure = 2
        try disk.write(store(1))
        try disk.sync()
        #expect(throws: StorageError.self) { try disk.write(store(2)) }
        try disk.write(store(2))
        disk.faults.operationsUntilPowerLoss = 0
        #expect(throws: PowerLoss.self) { try disk.sync() }
    }

    @Test func `files that are copied have other marks, a disk that is copied as a whole has not`() throws {
        let disk = try disk()
        let name = disk.machineName
        try disk.write(store(1))
        try disk.sync()
        let image = disk.image()
        try disk.write(store(2))
        try disk.sync()
        disk.restore(image, parts: .databaseAndSentinel)
        #expect(try number(disk.database) == 1)
        #expect(disk.machineName == name)
        disk.restore(image, parts: .files)
        #expect(disk.machineName != name)
        disk.restore(image, parts: .disk)
        #expect(disk.machineName == name)
    }
}
