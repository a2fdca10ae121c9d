internal import FileRecords
internal import Synchronization

extension FilePath {
    /// The maximum number of parts of a path that a mount shows: each folder costs it memory, whoever has made the path up.
    static let shownPartCountMax = 64

    /// Whether a mount shows a file or folder of this path.
    var isShown: Bool { text.utf8.count { $0 == UInt8(ascii: "/") } < Self.shownPartCountMax }
}

extension ZoneMount {
    /// Reports how many files are not shown, since their paths have too many parts; nothing where there are none.
    func noteDeepFiles() {
        let count = state.withLock { $0.tree.deepFileCount }
        guard count > 0 else { return }
        let files = count == 1 ? "1 file is" : "\(count) files are"
        log.note("\(files) not shown: a path has more than \(FilePath.shownPartCountMax) parts.")
    }
}
