import Records
package import Sync

/// A machine's disk: the database, and small files beside it.
///
/// A write becomes visible and durable only with a sync. A power loss before it leaves any of the states written
/// since the last sync, chosen at random.
package final class VirtualDisk {
    /// The small files.
    package enum FileName: CaseIterable, Sendable {
        /// The account log.
        case accountLog
        /// The sentinel.
        case sentinel
        /// The logs of other accounts.
        case contacts
        /// The secrets of the account, where they differ from those with which the device began.
        case accountKey
        /// The log of an account that the device is joining.
        case joiningLog
        /// The enrolment tokens that were made here.
        case enrolments
        /// The invitations that were opened here.
        case invitations
    }

    /// The machine.
    package let node: Int
    /// The faults of the disk.
    package var faults = DiskFaults()
    /// The keys of the device.
    package private(set) var keys: DiskKeys
    /// A stand-in for the inode and the change time of the key file: another file with the same contents has other
    /// marks.
    package private(set) var marks: UInt64 = 1
    /// The operating system's identifier of the machine; a copy of the whole disk has it too.
    package private(set) var machineID: UInt64
    /// The database as a process sees it; `nil` when there is none.
    package private(set) var database: MemoryStore? { didSet { databaseRevision += 1 } }
    /// Changes with everything that happens to the database.
    package private(set) var databaseRevision: UInt64 = 0
    /// The number of operations so far.
    package private(set) var operationCount: UInt64 = 0
    private var durable: MemoryStore?
    /// The states written since the last sync, oldest first.
    private var unsynced: [MemoryStore] = []
    private var files: [FileName: VirtualFile] = [:]

    /// Creates an empty disk with keys.
    package init(node: Int, keys: DiskKeys) {
        self.node = node
        self.keys = keys
        machineID = UInt64(node) + 1
    }

    /// The machine's identity in the sentinel: its identifier and the marks of the key file.
    var machineName: [UInt8] {
        [machineID, marks].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
    }

    // MARK: The database

    /// Reads the database.
    /// - Throws: `StorageError`.
    package func read() throws -> MemoryStore {
        try operate(isWriting: false)
        if faults.failingReads > 0 {
            faults.failingReads -= 1
            throw StorageError(code: .inputOutput, message: "read failed")
        }
        guard let database else { throw StorageError(code: .corrupt, message: "there is no database") }
        return database
    }

    /// Writes a transaction's outcome.
    /// - Throws: `StorageError`, then nothing was written; ``PowerLoss``, then it may have been.
    package func write(_ store: MemoryStore) throws {
        do {
            try operate(isWriting: true)
        } catch let loss as PowerLoss {
            unsynced.append(store)
            throw loss
        }
        if faults.failingWrites > 0 {
            faults.failingWrites -= 1
            throw StorageError(code: .inputOutput, message: "write failed")
        }
        unsynced.append(store)
    }

    /// Waits until the last write is durable; then it is visible too.
    /// - Throws: `StorageError`, then it is not visible; a later start may find it nevertheless.
    package func sync() throws {
        try operate(isWriting: false)
        if faults.failingSyncs > 0 {
            faults.failingSyncs -= 1
            throw StorageError(code: .inputOutput, message: "sync failed")
        }
        guard let newest = unsynced.last else { return }
        durable = newest
        database = newest
        unsynced.removeAll(keepingCapacity: true)
    }

    /// Lets the process keep the keys that it has opened, which are only in its memory, in no file beside the store.
    func keep(_ keyring: EpochKeyring) {
        durable?.keyring = keyring
        database?.keyring = keyring
    }

    // MARK: Files

    /// The contents of a file as a process reads them; `nil` when there is none.
    package func contents(of name: FileName) -> [UInt8]? {
        files[name]?.contents
    }

    /// Replaces a file atomically and durably: written beside it, synced, renamed, so that it is the old one or the
    /// new one.
    /// - Throws: `StorageError`, then the old one remains; ``PowerLoss``, then either does.
    package func writeDurably(_ bytes: [UInt8]?, to name: FileName) throws {
        try operate(isWriting: true)
        if faults.failingWrites > 0 {
            faults.failingWrites -= 1
            throw StorageError(code: .inputOutput, message: "write failed")
        }
        change(name) { $0.replace(bytes) }
        try operate(isWriting: false)
    }

    /// Writes a file in place without a sync.
    /// - Parameters:
    ///   - bytes: The contents.
    ///   - name: The file.
    ///   - now: The time, in simulated milliseconds: after a while the kernel writes the file back by itself.
    /// - Throws: `StorageError`, ``PowerLoss``.
    package func write(_ bytes: [UInt8], to name: FileName, at now: UInt64) throws {
        do {
            try operate(isWriting: true)
        } catch let loss as PowerLoss {
            change(name) { $0.write(bytes, at: now) }
            throw loss
        }
        change(name) { $0.write(bytes, at: now) }
    }

    private func change(_ name: FileName, _ body: (inout VirtualFile) -> Void) {
        body(&files[name, default: VirtualFile()])
    }

    // MARK: Power and images

    /// Loses the power.
    /// - Parameters:
    ///   - now: The time, in simulated milliseconds.
    ///   - random: Chooses which writes had reached the disk.
    package func losePower(at now: UInt64, using random: inout SeededGenerator) {
        let reached = random.index(below: unsynced.count + 1)
        if reached > 0 { durable = unsynced[reached - 1] }
        unsynced = []
        database = durable
        for name in FileName.allCases { files[name]?.lose(at: now, using: &random) }
        faults.operationsUntilPowerLoss = nil
    }

    /// Ends the process while the machine stays on.
    ///
    /// Writes to files reach the disk, but a transaction that was not synced may be rolled back.
    package func endProcess() {
        // A transaction whose commit was not reported is in the log of the database as a whole.
        if let newest = unsynced.last { durable = newest }
        unsynced = []
        database = durable
    }

    /// A copy of the durable database, and of the files as they are.
    package func image() -> DiskImage {
        DiskImage(
            database: durable,
            files: files.compactMapValues(\.contents),
            keys: keys,
            marks: marks,
            machineID: machineID
        )
    }

    /// Rolls parts of the disk back to those of an image; no process may run.
    package func restore(_ image: DiskImage, parts: DiskImage.Parts) {
        durable = image.database
        database = image.database
        unsynced = []
        guard parts != .database else { return }
        change(.sentinel) { $0.replace(image.files[.sentinel]) }
        guard parts != .databaseAndSentinel else { return }
        for name in FileName.allCases { change(name) { $0.replace(image.files[name]) } }
        keys = image.keys
        guard parts == .disk else {
            marks = max(marks, image.marks) + 1
            return
        }
        marks = image.marks
        machineID = image.machineID
    }

    /// Loses the database and keeps the rest.
    package func loseDatabase() {
        durable = nil
        database = nil
        unsynced = []
    }

    private func operate(isWriting: Bool) throws {
        operationCount += 1
        if let left = faults.operationsUntilPowerLoss {
            guard left > 0 else { throw PowerLoss(node: node) }
            faults.operationsUntilPowerLoss = left - 1
        }
        if let left = faults.operationsUntilFailure {
            faults.operationsUntilFailure = left > 0 ? left - 1 : nil
            if left == 0 { throw StorageError(code: .inputOutput, message: "operation failed") }
        }
        if isWriting, faults.isFull { throw StorageError(code: .diskFull, message: "no space is left") }
    }
}
