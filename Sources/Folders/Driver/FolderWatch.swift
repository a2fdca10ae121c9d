import Dispatch
import FileRecords
import Glibc
import Synchronization

/// Reports the folders in which something has changed, by inotify(7).
///
/// Each folder is watched by itself. Where the system has no more watches, or has lost events, everything has to be read again.
final class FolderWatch: Sendable {
    /// Something that has happened.
    enum Event: Sendable, Hashable {
        /// An entry of the folder has changed; `nil` is the folder that is kept in step.
        case changed(FilePath?)
        /// Events were lost.
        case overflow
        /// The folder that is kept in step was moved, deleted, or its file system is gone.
        case rootGone
    }

    private let table: WatchTable
    /// The end of a pipe whose closing ends the reading.
    private let lifeline: OpenFile

    /// Begins to report.
    /// - Parameter report: Takes the events, on a thread of the watch.
    /// - Throws: ``FileFault``.
    init(_ report: @escaping @Sendable (Event) -> Void) throws(FileFault) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { throw FileFault(name: "inotify", number: errno) }
        let table = WatchTable(OpenFile(descriptor))
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileFault(name: "pipe", number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let end = OpenFile(ends[0])
        lifeline = OpenFile(ends[1])
        self.table = table
        DispatchQueue(label: "kairan.folder.watch").async {
            var requests = [
                pollfd(fd: table.inotify.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end.number, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                let count = poll(&requests, 2, -1)
                if count < 0, errno != EINTR { return report(.overflow) }
                if requests[1].revents != 0 { return }
                for event in table.read() { report(event) }
            }
        }
    }

    /// Whether some folders are not watched, since the system has no more watches.
    var isIncomplete: Bool { table.isIncomplete }

    /// Whether a folder is watched.
    func watches(_ folder: FilePath?) -> Bool { table.watches(folder) }

    /// Watches a folder from now on.
    /// - Parameters:
    ///   - folder: The folder.
    ///   - opened: The open folder.
    func watch(_ folder: FilePath?, _ opened: OpenFile) { table.add(folder, opened) }
}

/// The watched folders by their watches, and the events of these.
private final class WatchTable: Sendable {
    private struct State: Sendable {
        var folders: [Int32: FilePath?] = [:]
        var watches: [FilePath?: Int32] = [:]
        var isIncomplete = false
    }

    private static let mask =
        UInt32(IN_CREATE) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY) | UInt32(IN_ATTRIB) | UInt32(IN_MOVED_FROM)
        | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    private static let headByteCount = 16
    private static let bufferByteCount = 65_536

    let inotify: OpenFile
    private let state = Mutex(State())

    init(_ inotify: OpenFile) { self.inotify = inotify }

    var isIncomplete: Bool { state.withLock { $0.isIncomplete } }

    func watches(_ folder: FilePath?) -> Bool { state.withLock { $0.watches[folder] != nil } }

    func add(_ folder: FilePath?, _ opened: OpenFile) {
        // By its descriptor, so that no link on the way leads elsewhere.
        let watch = inotify_add_watch(inotify.number, "/proc/self/fd/\(opened.number)", Self.mask)
        let number = errno
        state.withLock { state in
            guard watch >= 0 else {
                // Any other error is that of a folder which has gone meanwhile.
                if number == ENOSPC || number == ENOMEM || number == EACCES { state.isIncomplete = true }
                return
            }
            // A folder that was moved keeps its watch, under its new path.
            if let old = state.folders[watch], old != folder, state.watches[old] == watch { state.watches[old] = nil }
            state.folders[watch] = folder
            state.watches[folder] = watch
        }
    }

    /// The events that have come.
    func read() -> [FolderWatch.Event] {
        var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
        var found: [FolderWatch.Event] = []
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(inotify.number, $0.baseAddress, $0.count) }
            guard count > 0 else { return found }
            found += events(in: buffer[..<count])
        }
    }

    private func events(in bytes: ArraySlice<UInt8>) -> [FolderWatch.Event] {
        var events: [FolderWatch.Event] = []
        var rest = bytes
        while rest.count >= Self.headByteCount {
            // A structure of the kernel, in the order of the machine: watch, mask, cookie, length of the name.
            let numbers = rest.prefix(Self.headByteCount).withUnsafeBytes { head in
                (0..<4).map { head.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
            }
            let length = Int(numbers[3])
            guard rest.count >= Self.headByteCount + length else { return events }
            let name = rest.dropFirst(Self.headByteCount).prefix(length).prefix { $0 != 0 }
            if let event = event(Int32(bitPattern: numbers[0]), numbers[1], name) { events.append(event) }
            rest = rest.dropFirst(Self.headByteCount + length)
        }
        return events
    }

    private func event(_ watch: Int32, _ mask: UInt32, _ name: ArraySlice<UInt8>) -> FolderWatch.Event? {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { return .overflow }
        return state.withLock { state in
            guard let folder = state.folders[watch] else { return nil }
            if mask & UInt32(IN_IGNORED) != 0 {
                state.folders[watch] = nil
                if state.watches[folder] == watch { state.watches[folder] = nil }
                return folder == nil ? .rootGone : nil
            }
            if mask & (UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_UNMOUNT)) != 0 {
                return folder == nil ? .rootGone : nil
            }
            // Files that are being written, and the trash.
            let isOwn = name.starts(with: IgnoreRules.ownPrefix.utf8)
            if isOwn, !name.elementsEqual(FolderMarker.fileName.utf8) { return nil }
            if mask & UInt32(IN_ISDIR) != 0, mask & UInt32(IN_MOVED_FROM) != 0,
                let text = String(validating: name, as: UTF8.self), let moved = FilePath(text, in: folder)
            {
                forget(moved, in: &state)
            }
            return .changed(folder)
        }
    }

    /// The watches of a folder that was moved away, with those beneath it, are of paths that are no longer right.
    private func forget(_ folder: FilePath, in state: inout State) {
        for (path, watch) in state.watches {
            guard let path, path == folder || path.isBeneath(folder) else { continue }
            state.watches[path] = nil
            state.folders[watch] = nil
            inotify_rm_watch(inotify.number, watch)
        }
    }
}
