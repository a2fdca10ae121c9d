import Glibc
import Identity
import Synchronization
import Wire

/// The sentinel, kept open: written in place after each commit, without waiting for the disk.
///
/// It may lag behind the store, never lead it, so it is written after the transaction. A write that a power cut tears
/// leaves a damaged sentinel, which is treated as none: then a new incarnation begins, which is always safe.
///
/// To the name of the machine it adds marks that distinguish this state directory from a copy of it: inode and change
/// time of a *witness*, a file that is written once. No program can set a change time, so a directory that was
/// restored from a backup as a whole, sentinel and all, is not taken for the one that was backed up, whether its
/// files were made again or written over. Renaming the directory changes neither.
final class SentinelFile: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var byteCount = 0
        var newest: UInt64 = 0
    }

    /// The number of bytes of the machine's name that are kept, beside the marks of the witness.
    static let machineByteCountMax = Sentinel.machineByteCountMax - markByteCount
    private static let markByteCount = 20

    /// The machine's name with the marks of the witness.
    let machine: [UInt8]
    private let file: PrivateFile
    private let state = Mutex(State())

    init(file: PrivateFile, machine: [UInt8], witness: PrivateFile) {
        self.file = file
        self.machine = Array(machine.prefix(Self.machineByteCountMax)) + Self.marks(of: witness)
    }

    deinit {
        state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    /// Writes a commit's number; an older one than the newest written is ignored.
    /// - Parameters:
    ///   - commitNumber: The number.
    ///   - incarnation: The store's incarnation.
    ///   - newestEntry: The newest entry of the account log.
    /// - Throws: `PrivateFile.Failure`.
    func write(
        commitNumber: UInt64,
        incarnation: Incarnation,
        newestEntry: Sentinel.NewestEntry? = nil
    ) throws(PrivateFile.Failure) {
        let bytes = Sentinel(
            incarnation: incarnation,
            commitNumber: commitNumber,
            machine: machine,
            newestEntry: newestEntry
        ).encoded
        let failed: Int32? = state.withLock { state in
            guard commitNumber >= state.newest else { return nil }
            if state.descriptor < 0 {
                state.descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
                guard state.descriptor >= 0 else { return errno }
            }
            guard pwrite(state.descriptor, bytes, bytes.count, 0) == bytes.count else { return errno }
            if state.byteCount != bytes.count {
                guard ftruncate(state.descriptor, off_t(bytes.count)) == 0 else { return errno }
                state.byteCount = bytes.count
            }
            state.newest = commitNumber
            return nil
        }
        if let failed { throw PrivateFile.Failure(path: file.path, operation: "write", errorNumber: failed) }
    }

    /// Rewrites the witness so that the sentinel still matches it.
    ///
    /// A crash between the two files leaves a sentinel that names an earlier witness, under which a new incarnation begins:
    /// always safe. A sentinel that did not name the witness before does not afterwards.
    /// - Parameters:
    ///   - file: The sentinel, which no process has open.
    ///   - witness: The witness.
    ///   - change: Writes it.
    /// - Throws: The errors of `change`, `PrivateFile.Failure`.
    static func keeping(_ file: PrivateFile, witness: PrivateFile, _ change: () throws -> Void) throws {
        let before = marks(of: witness)
        try change()
        // Without a sentinel that can be read there is nothing to keep.
        guard let bytes = try file.read(), let old = try? Sentinel(decoding: bytes),
            old.machine.suffix(markByteCount) == before[...]
        else { return }
        let new = Sentinel(
            incarnation: old.incarnation,
            commitNumber: old.commitNumber,
            machine: old.machine.dropLast(markByteCount) + marks(of: witness),
            newestEntry: old.newestEntry
        )
        try file.replace(new.encoded)
    }

    /// Inode (8 bytes) and change time (8 bytes of seconds, 4 of nanoseconds); zeros when there is no such file.
    private static func marks(of witness: PrivateFile) -> [UInt8] {
        var facts = stat()
        guard lstat(witness.path, &facts) == 0 else { return [UInt8](repeating: 0, count: markByteCount) }
        var writer = WireWriter(capacity: markByteCount)
        writer.writeUInt64(UInt64(facts.st_ino))
        writer.writeUInt64(UInt64(bitPattern: Int64(facts.st_ctim.tv_sec)))
        let nanoseconds = UInt32(truncatingIfNeeded: facts.st_ctim.tv_nsec)
        writer.writeRaw((0..<4).map { UInt8(truncatingIfNeeded: nanoseconds >> (24 - 8 * UInt32($0))) })
        return writer.bytes
    }
}
