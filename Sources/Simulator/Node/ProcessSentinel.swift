import Identity
import Sync
import Wire

/// The file beside the store by which a start notices that the store was rolled back.
struct ProcessSentinel {
    private let disk: VirtualDisk
    /// The newest commit that the file names.
    private var number: UInt64

    /// Writes the file for a process that begins.
    /// - Throws: `StorageError`, ``PowerLoss``.
    init(_ lifetime: StoreLifetime, on disk: VirtualDisk, at now: UInt64) throws {
        self.disk = disk
        number = lifetime.commitNumber
        try write(number, of: lifetime.incarnation, at: now)
    }

    /// Writes the file after a commit, unless the disk refuses: it may lag behind the store.
    /// - Throws: ``PowerLoss``.
    mutating func follow(_ notice: CommitNotice, of incarnation: Incarnation, at now: UInt64) throws {
        guard let next = notice.number, next >= number else { return }
        do {
            try write(next, of: notice.renewed ?? incarnation, at: now)
            number = next
        } catch is StorageError {
            // A start that finds the older one notices less.
        }
    }

    private func write(_ number: UInt64, of incarnation: Incarnation, at now: UInt64) throws {
        let sentinel = Sentinel(incarnation: incarnation, commitNumber: number, machine: disk.machineName)
        try disk.write(sentinel.encoded, to: .sentinel, at: now)
    }
}
