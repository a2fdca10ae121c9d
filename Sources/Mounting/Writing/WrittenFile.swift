internal import FileRecords
internal import KairanInterface

/// A file that a program writes through the mount, from its opening to its last closing.
///
/// Its bytes are in a staging file. It knows which of its changes the zone has: content that was not uploaded since it was written, and
/// facts, which take a write of the record alone.
struct WrittenFile: Sendable, Hashable {
    /// The changes that are to be stored, and the state that they build upon.
    struct Draft: Sendable, Hashable {
        /// The path.
        var path: FilePath
        /// The record that is to be changed; `nil` for a new one.
        var source: FileSource?
        /// Whether the content is to be uploaded.
        var hasNewContent: Bool
        /// The number of bytes.
        var byteCount: UInt64
        /// The time of the last change, in milliseconds since 1970.
        var modified: Int64
        /// Whether the file may be executed.
        var isExecutable: Bool
        fileprivate var contentMark: UInt64
        fileprivate var factMark: UInt64
    }

    /// The largest number of bytes of a content.
    static let byteCountMax: UInt64 = 16 << 30 - 1

    /// The number by which the kernel knows it.
    let id: NodeID
    /// The path that its record has, or will have.
    private(set) var path: FilePath
    /// The name under which it is shown; `nil` once it has none.
    private(set) var place: NamePlace?
    /// The record that it was read from or stored in; `nil` for a file that was never stored.
    private(set) var source: FileSource?
    /// The number of bytes.
    private(set) var byteCount: UInt64
    /// The time of the last change, in milliseconds since 1970.
    private(set) var modified: Int64
    /// Whether it may be executed.
    private(set) var isExecutable: Bool
    private var contentCount: UInt64 = 0
    private var storedContentCount: UInt64 = 0
    private var factCount: UInt64 = 0
    private var storedFactCount: UInt64 = 0

    /// Describes a file that is new, and so is to be stored.
    init(_ id: NodeID, new path: FilePath, at place: NamePlace, isExecutable: Bool, time: Int64) {
        (self.id, self.path, self.place, self.isExecutable) = (id, path, place, isExecutable)
        (byteCount, modified, contentCount) = (0, time, 1)
    }

    /// Describes a file of the zone that is opened.
    init(_ id: NodeID, of source: FileSource, at place: NamePlace, modified: Int64) {
        (self.id, self.path, self.place, self.source) = (id, source.file.path, place, source)
        (byteCount, self.modified) = (source.file.content.size, modified)
        isExecutable = source.file.isExecutable
    }

    /// The facts that programs see.
    var attributes: NodeAttributes {
        NodeAttributes(id: id, isFolder: false, byteCount: byteCount, modified: modified, isExecutable: isExecutable)
    }

    /// Whether it has changes that the zone does not have, under a name.
    var isUnstored: Bool {
        place != nil && (contentCount != storedContentCount || factCount != storedFactCount)
    }

    /// Whether bytes would be lost with its staging file.
    var hasUnstoredBytes: Bool { place != nil && contentCount != storedContentCount && byteCount > 0 }

    /// The changes that are to be stored; `nil` where there are none, or the file has no name any more.
    var draft: Draft? {
        guard isUnstored else { return nil }
        return Draft(
            path: path,
            source: source,
            hasNewContent: contentCount != storedContentCount || source == nil,
            byteCount: byteCount,
            modified: modified,
            isExecutable: isExecutable,
            contentMark: contentCount,
            factMark: factCount
        )
    }

    // MARK: Changes by programs

    /// Notes that bytes were written.
    mutating func wrote(_ range: Range<UInt64>, at time: Int64) {
        byteCount = max(byteCount, range.upperBound)
        modified = time
        contentCount += 1
    }

    /// Notes that the file was cut off or extended.
    mutating func resized(to byteCount: UInt64, at time: Int64) {
        self.byteCount = byteCount
        modified = time
        contentCount += 1
    }

    /// Notes facts that a program has set; those that are `nil` stay.
    mutating func set(isExecutable: Bool?, modified: Int64?) {
        if let isExecutable, isExecutable != self.isExecutable {
            self.isExecutable = isExecutable
            factCount += 1
        }
        if let modified, modified != self.modified {
            self.modified = modified
            factCount += 1
        }
    }

    /// Notes that the file has no name any more: nothing of it is stored from now on.
    mutating func unlink() { place = nil }

    /// Notes that a program takes its changes back.
    mutating func abandon() { (storedContentCount, storedFactCount) = (contentCount, factCount) }

    // MARK: Changes of the zone

    /// Notes that changes were stored.
    /// - Parameters:
    ///   - draft: The changes.
    ///   - source: The record that has them now; of a conflict file, where another device had changed the first record.
    mutating func stored(_ draft: Draft, in source: FileSource) {
        (storedContentCount, storedFactCount) = (draft.contentMark, draft.factMark)
        adopt(source)
    }

    /// Notes that its record is another one, at the same place or at another one.
    mutating func moved(to place: NamePlace, _ source: FileSource) {
        self.place = place
        (path, self.source) = (source.file.path, source)
    }

    private mutating func adopt(_ source: FileSource) {
        if source.file.path != path, let old = place {
            place = NamePlace(folder: old.folder, name: Name(source.file.path.lastPart))
        }
        (path, self.source) = (source.file.path, source)
    }
}

/// The files that programs write, by number and by name.
struct WrittenFiles: Sendable, Hashable {
    /// The maximum number of files that are written at a time; a further one is refused with `ENFILE`.
    static let countMax = 1_024

    private(set) var files: [NodeID: WrittenFile] = [:]
    private(set) var names: [NamePlace: NodeID] = [:]

    /// The file of a number.
    subscript(id: NodeID) -> WrittenFile? { files[id] }

    /// The files of a folder, by name.
    func names(in folder: NodeID) -> [Name: NodeID] {
        var found: [Name: NodeID] = [:]
        for (place, id) in names where place.folder == folder { found[place.name] = id }
        return found
    }

    /// Adds a file.
    mutating func insert(_ file: WrittenFile) {
        files[file.id] = file
        if let place = file.place { names[place] = file.id }
    }

    /// Changes a file; does nothing where it is none of these.
    mutating func update(_ id: NodeID, _ change: (inout WrittenFile) -> Void) {
        guard var file = files[id] else { return }
        let before = file.place
        change(&file)
        files[id] = file
        guard file.place != before else { return }
        if let before, names[before] == id { names[before] = nil }
        if let place = file.place { names[place] = id }
    }

    /// Removes a file.
    mutating func remove(_ id: NodeID) {
        update(id) { $0.unlink() }
        files[id] = nil
    }
}
