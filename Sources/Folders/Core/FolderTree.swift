import FileRecords

/// The files of a folder by the folders that they are in.
struct FolderTree: Sendable {
    private struct Folder: Sendable {
        var files: Set<FilePath> = []
        var folders: Set<FilePath> = []

        var isEmpty: Bool { files.isEmpty && folders.isEmpty }
    }

    private var folders: [FilePath?: Folder] = [:]

    /// Adds a file, and the folders that it is in.
    mutating func insert(_ path: FilePath) {
        guard folders[path.folder, default: Folder()].files.insert(path).inserted else { return }
        var folder = path.folder
        while let present = folder {
            let isNew = folders[present.folder, default: Folder()].folders.insert(present).inserted
            guard isNew else { return }
            folder = present.folder
        }
    }

    /// Removes a file, and the folders that are empty without it.
    mutating func remove(_ path: FilePath) {
        folders[path.folder]?.files.remove(path)
        var folder = path.folder
        while let present = folder, folders[present]?.isEmpty ?? true {
            folders[present] = nil
            folders[present.folder]?.folders.remove(present)
            folder = present.folder
        }
    }

    /// The files directly in a folder.
    func files(in folder: FilePath?) -> Set<FilePath> { folders[folder]?.files ?? [] }

    /// The folders directly in a folder.
    func folders(in folder: FilePath?) -> Set<FilePath> { folders[folder]?.folders ?? [] }

    /// All files beneath a folder.
    /// - Complexity: O(files and folders beneath it).
    func files(beneath folder: FilePath) -> [FilePath] {
        var (found, open): ([FilePath], [FilePath]) = ([], [folder])
        while let next = open.popLast() {
            found += files(in: next)
            open += folders(in: next)
        }
        return found
    }
}

/// Paths in the order of their arrival, each once.
struct PathQueue: Sendable {
    private var order: [FilePath] = []
    private var start = 0
    private var members: Set<FilePath> = []

    /// Whether there are none.
    var isEmpty: Bool { members.isEmpty }

    /// Adds a path at the end, if it is not there.
    mutating func append(_ path: FilePath) {
        if members.insert(path).inserted { order.append(path) }
    }

    /// Whether a path is there.
    func contains(_ path: FilePath) -> Bool { members.contains(path) }

    /// Removes a path, if it is there.
    mutating func remove(_ path: FilePath) { members.remove(path) }

    /// Removes the first path.
    mutating func popFirst() -> FilePath? {
        while start < order.count {
            let path = order[start]
            start += 1
            // The part that is done is dropped now and then, so that a path costs the same however many there are.
            if start * 2 > order.count {
                order.removeFirst(start)
                start = 0
            }
            if members.remove(path) != nil { return path }
        }
        return nil
    }
}

/// Paths that wait for a time.
struct PathTimers: Sendable {
    /// Times are rounded up to this number of milliseconds, so that many paths share one.
    private static let grain: Int64 = 100

    private var paths: [Int64: Set<FilePath>] = [:]

    /// Whether no path waits.
    var isEmpty: Bool { paths.isEmpty }
    /// The first time for which a path waits.
    var first: Int64? { paths.keys.min() }

    /// Adds a path.
    mutating func add(_ path: FilePath, at time: Int64) {
        let (rounded, overflows) = time.addingReportingOverflow(Self.grain - 1)
        // A time that never comes.
        guard !overflows else { return }
        paths[rounded / Self.grain * Self.grain, default: []].insert(path)
    }

    /// Removes the paths whose times have come.
    mutating func take(at now: Int64) -> Set<FilePath> {
        var due: Set<FilePath> = []
        for time in paths.keys.filter({ $0 <= now }) {
            due.formUnion(paths.removeValue(forKey: time) ?? [])
        }
        return due
    }
}

/// The digests of the contents that this device has read or sent.
///
/// A digest that another device has stated in a record saves a download, since the folder has the bytes then. It never saves an upload: if it
/// were wrong, the folder's bytes would be nowhere else.
struct KnownContents: Sendable {
    private var digests: [String: FileDigest] = [:]
    private var assets: [FileDigest: String] = [:]
    /// The ids that the daemon does not take any more.
    private var lost: Set<String> = []

    /// Takes note of a content.
    mutating func note(_ digest: FileDigest, of asset: String) {
        digests[asset] = digest
        assets[digest] = asset
        lost.remove(asset)
    }

    /// The daemon does not know a content any more.
    mutating func lose(_ asset: String) { lost.insert(asset) }

    /// The digest of a content; `nil` where it was not seen here.
    func digest(of asset: String) -> FileDigest? { digests[asset] }

    /// A content of a digest that the daemon has, as far as is known; `nil` for none.
    func asset(of digest: FileDigest) -> String? { assets[digest].flatMap { lost.contains($0) ? nil : $0 } }

    /// Whether the daemon was found not to know a content.
    func isLost(_ asset: String) -> Bool { lost.contains(asset) }
}
