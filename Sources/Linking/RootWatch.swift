import Dispatch
import Glibc
package import Node
package import Sync
import Synchronization

/// Reports the folders beneath roots in which something has changed, by inotify(7).
///
/// Each folder is watched by itself, up to a number of folders. Where there are more, or the system has no more watches, only listings of
/// all folders show what has changed in the others.
package final class RootWatch: LinkWatchPort {
    /// The most folders that are watched.
    package static let countMax = 65_536

    private let table: RootWatchTable
    /// The end of a pipe whose closing ends the reading.
    private let lifeline: RootPipe

    /// Begins to watch, nothing at first; `nil` where the system cannot watch.
    /// - Parameter countMax: The most folders that are watched.
    package init?(countMax: Int = RootWatch.countMax) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        let table = RootWatchTable(descriptor, countMax: countMax)
        guard let lifeline = RootPipe() else { return nil }
        (self.table, self.lifeline) = (table, lifeline)
        let end = lifeline.reading
        DispatchQueue(label: "kairan.roots.watch").async {
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                let count = poll(&requests, 2, -1)
                if count < 0, errno != EINTR { break }
                if requests[1].revents != 0 { break }
                table.read()
            }
            close(end)
        }
    }

    package var isIncomplete: Bool { table.isIncomplete }

    package func report(_ report: @escaping @Sendable (LinkWatchEvent) -> Void) { table.report(report) }

    package func watch(_ folder: LinkKeeper.Folder) {
        guard let root = try? RootDescriptor(root: folder.root), let opened = try? root.folder(folder.path) else {
            return
        }
        table.add(folder, opened)
    }
}

/// A pipe that wakes a thread when it is closed.
private final class RootPipe: Sendable {
    /// The end that the thread reads, and closes.
    let reading: Int32
    private let writing: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit { close(writing) }
}

/// The watched folders by their watches, and the events of these.
private final class RootWatchTable: Sendable {
    private struct State: Sendable {
        var folders: [Int32: LinkKeeper.Folder] = [:]
        var watches: [LinkKeeper.Folder: Int32] = [:]
        var isIncomplete = false
        var report: (@Sendable (LinkWatchEvent) -> Void)?
    }

    private static let mask =
        UInt32(IN_CREATE) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
        | UInt32(IN_DELETE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    private static let headByteCount = 16
    private static let bufferByteCount = 65_536

    private let inotify: Int32
    private let countMax: Int
    private let state = Mutex(State())

    init(_ inotify: Int32, countMax: Int) { (self.inotify, self.countMax) = (inotify, countMax) }

    deinit { close(inotify) }

    var isIncomplete: Bool { state.withLock { $0.isIncomplete } }

    func report(_ report: @escaping @Sendable (LinkWatchEvent) -> Void) { state.withLock { $0.report = report } }

    func add(_ folder: LinkKeeper.Folder, _ opened: RootDescriptor) {
        state.withLock { state in
            guard state.watches[folder] != nil || state.watches.count < countMax else {
                state.isIncomplete = true
                return
            }
            // By its descriptor, so that no link on the way leads elsewhere. One that is watched already keeps its watch.
            let watch = inotify_add_watch(inotify, "/proc/self/fd/\(opened.number)", Self.mask)
            guard watch >= 0 else {
                let code = errno
                // Any other error is that of a folder which has gone meanwhile.
                if code == ENOSPC || code == ENOMEM || code == EACCES { state.isIncomplete = true }
                return
            }
            if let old = state.folders[watch], old != folder, state.watches[old] == watch { state.watches[old] = nil }
            state.folders[watch] = folder
            state.watches[folder] = watch
        }
    }

    /// Reports the events that have come.
    func read() {
        var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(inotify, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            let (found, report) = state.withLock { state in (events(in: buffer[..<count], &state), state.report) }
            for event in found { report?(event) }
        }
    }

    private func events(in bytes: ArraySlice<UInt8>, _ state: inout State) -> Set<LinkWatchEvent> {
        var events: Set<LinkWatchEvent> = []
        var rest = bytes
        while rest.count >= Self.headByteCount {
            // A structure of the kernel, in the order of the machine: watch, mask, cookie, length of the name.
            let numbers = rest.prefix(Self.headByteCount).withUnsafeBytes { head in
                (0..<4).map { head.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
            }
            let length = Int(numbers[3])
            guard rest.count >= Self.headByteCount + length else { return events }
            let name = Array(rest.dropFirst(Self.headByteCount).prefix(length).prefix { $0 != 0 })
            if let event = event(Int32(bitPattern: numbers[0]), numbers[1], name, &state) { events.insert(event) }
            rest = rest.dropFirst(Self.headByteCount + length)
        }
        return events
    }

    private func event(_ watch: Int32, _ mask: UInt32, _ name: [UInt8], _ state: inout State) -> LinkWatchEvent? {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { return .overflow }
        guard let folder = state.folders[watch] else { return nil }
        if mask & UInt32(IN_IGNORED) != 0 {
            state.folders[watch] = nil
            if state.watches[folder] == watch { state.watches[folder] = nil }
            return folder.path.isEmpty ? .changed(folder) : nil
        }
        if mask & (UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_UNMOUNT)) != 0 {
            return folder.path.isEmpty ? .changed(folder) : nil
        }
        if mask & UInt32(IN_ISDIR) != 0, mask & UInt32(IN_MOVED_FROM) != 0 {
            forget(LinkKeeper.Folder(root: folder.root, path: folder.beginning + name), &state)
        }
        return .changed(folder)
    }

    /// The watches of a folder that was moved away, with those beneath it, are of paths that are no longer right.
    private func forget(_ folder: LinkKeeper.Folder, _ state: inout State) {
        for (known, watch) in state.watches where known.root == folder.root {
            guard known == folder || known.path.starts(with: folder.beginning) else { continue }
            state.watches[known] = nil
            state.folders[watch] = nil
            inotify_rm_watch(inotify, watch)
        }
    }
}
