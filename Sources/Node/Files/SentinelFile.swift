import Glibc
import Identity
import Synchronization
import Wire

/// The sentinel, kept open: written in place after each commit, without waiting for the disk.
///
/// It may lag behind the store, never lead it, so it is written after the transaction. A write that a power cut tears
/// leaves a damaged sentinel, which counts as none: then a new incarnation begins, which is always safe.
final class SentinelFile: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var byteCount = 0
        var newest: UInt64 = 0
    }

    private let file: PrivateFile
    private let machine: [UInt8]
    private let state = Mutex(State())

    init(file: PrivateFile, machine: [UInt8]) {
        self.file = file
        self.machine = machine
    }

    deinit {
        state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    /// Writes a commit's number; an older one than the newest written is ignored.
    /// - Throws: `PrivateFile.Failure`.
    func write(commitNumber: UInt64, incarnation: Incarnation) throws(PrivateFile.Failure) {
        let bytes = Sentinel(incarnation: incarnation, commitNumber: commitNumber, machine: machine).encoded
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
}
