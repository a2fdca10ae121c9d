import CFaultyVFS

/// A directory as a disk that loses power and fails on demand, for SQLite's use of it.
final class FaultyDisk: Sendable {
    /// The part of the unsynced changes that is there when the power is back.
    enum Mode: UInt32, CaseIterable, Sendable {
        /// Nothing.
        case lose = 0
        /// Everything, also the operation that was interrupted.
        case keep = 1
        /// Each sector, length and name as it was at some moment.
        case subset = 2
        /// The same, with one torn write and with garbage where nothing was written.
        case tear = 3
    }

    /// The way in which an operation fails.
    enum Fault: UInt32, CaseIterable, Sendable {
        case inputOutput = 0
        case full = 1
        case shortRead = 2
        /// A failed sync whose data can be read but never reaches the disk.
        case forget = 3
    }

    /// The kinds of operations.
    struct Kinds: OptionSet, Sendable {
        let rawValue: UInt32

        static let open = Kinds(rawValue: 1)
        static let read = Kinds(rawValue: 2)
        static let write = Kinds(rawValue: 4)
        static let truncate = Kinds(rawValue: 8)
        static let sync = Kinds(rawValue: 16)
        static let delete = Kinds(rawValue: 32)
        static let shared = Kinds(rawValue: 64)
        /// All of them.
        static let all: Kinds = [.open, .read, .write, .truncate, .sync, .delete, .shared]
    }

    let path: String
    private let handle: Int32

    /// Attaches a directory that exists and has no open files.
    init(path: String) throws {
        guard faulty_install() else { throw Finding("the VFS is not registered") }
        handle = faulty_attach(path)
        guard handle >= 0 else { throw Finding("the disk \(path) cannot be attached") }
        self.path = path
    }

    deinit { faulty_detach(handle) }

    /// Operations that changed files, since the disk was last switched on.
    var changeCount: UInt64 { faulty_change_count(handle) }
    var isDead: Bool { faulty_is_dead(handle) }
    var openCount: Int { Int(faulty_open_count(handle)) }
    /// Whether the witness was there when the power went.
    var witnessExisted: Bool { faulty_witness_existed(handle) }
    /// Operations that were made to fail.
    var failureCount: UInt64 { faulty_failure_count(handle) }
    /// Operations that could have been made to fail.
    var metCount: UInt64 { faulty_met_count(handle) }

    /// The power goes after so many more changes.
    func cut(after count: UInt64) { faulty_cut_at(handle, changeCount + count) }
    /// The power goes now.
    func kill() { faulty_kill(handle) }
    /// The power stays.
    func neverCut() { faulty_cut_at(handle, .max) }
    /// Notes at the power failure whether a path exists.
    func watch(_ path: String) { faulty_set_witness(handle, path) }
    /// The bug that the harness must find.
    func ignoreSync() { faulty_ignore_sync(handle, true) }
    /// Neither counts nor fails.
    func pause() { faulty_pause(handle, true) }
    func resume() { faulty_pause(handle, false) }

    /// Makes operations fail.
    func fail(_ kinds: Kinds, after count: UInt64, times: UInt64 = 1, with fault: Fault) {
        faulty_fail(handle, kinds.rawValue, count, times, fault.rawValue)
    }

    /// No more failures.
    func clear() { faulty_clear(handle) }

    /// Counts operations that could be made to fail, without failing any.
    func count(_ kinds: Kinds) { fail(kinds, after: .max, with: .inputOutput) }

    /// Switches on after a power failure.
    func materialise(seed: UInt64, mode: Mode) throws {
        guard faulty_materialise(handle, seed, mode.rawValue, nil) else {
            throw Finding("the disk cannot be switched on, \(openCount) files are open")
        }
    }

    /// Writes possible contents after the power failure into another directory.
    func materialise(seed: UInt64, mode: Mode, into directory: String) throws {
        guard faulty_materialise(handle, seed, mode.rawValue, directory) else {
            throw Finding("the disk cannot be copied to \(directory)")
        }
    }

    /// Switches on after the process was killed.
    func restart() throws {
        guard faulty_restart(handle) else { throw Finding("the disk cannot be switched on") }
    }

    /// Makes everything that was written durable.
    func settle() { faulty_settle(handle) }
}

/// A violation that a test found.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
