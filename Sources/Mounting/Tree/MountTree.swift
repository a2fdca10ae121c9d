internal import KairanInterface

/// The files and folders that the records of a zone make, and the numbers by which the kernel knows them.
///
/// It is a value without input and output: records go in, and the parts that changed come out. Two trees of the same records show the
/// same files in the same folders, in whatever order these came, with the same numbers unless two digests collide.
///
/// The kernel counts how often it has looked up a number, and forgets it later. A number that it knows stays valid until then, also
/// where no folder has it any more: so a file that is open keeps its content.
struct MountTree: Sendable {
    /// Makes the number of a thing; another one is taken where it is used for another thing.
    typealias Numbering = @Sendable (NodeIdentity) -> UInt64

    /// The number of places in which one content is looked for.
    static let placeCountMax = 4

    var folders: [NodeID: FolderNode]
    var files: [NodeID: FileNode] = [:]
    /// The files that are shown, by their content.
    var holders: [FileContent: Set<NodeID>] = [:]
    /// The folders that have lost their last claim and are to be dropped.
    var emptied: Set<NodeID> = []
    /// How often the kernel has looked up each number that it knows; the root is always known.
    private(set) var lookups: [NodeID: UInt64] = [:]
    /// Numbers that stand for written files; `false` for one, of a folder too, that only the kernel still knows.
    private(set) var reserved: [NodeID: Bool] = [:]
    private var records: [Name: RecordFiles] = [:]
    private let numbering: Numbering

    /// The number of files that are shown.
    var fileCount = 0
    /// The number of files that are not shown, since their paths have too many parts.
    private(set) var deepFileCount = 0
    /// The sum of their sizes, as the records state them; it wraps around.
    var byteCount: UInt64 = 0

    /// Makes the tree of a zone without records.
    /// - Parameters:
    ///   - time: The time, in milliseconds since 1970.
    ///   - numbering: Makes numbers.
    init(at time: Int64, numbering: @escaping Numbering = { $0.digest }) {
        self.numbering = numbering
        folders = [.root: FolderNode(identity: .root, modified: time)]
    }

    // MARK: Records

    /// Takes in the files of a record, in place of those that it had.
    /// - Parameters:
    ///   - files: The files.
    ///   - time: The time, in milliseconds since 1970, for the folders that change.
    /// - Returns: The parts that the kernel knows and that have changed.
    mutating func apply(_ files: RecordFiles, at time: Int64) -> TreeNews {
        let former = records[files.record]?.claims ?? []
        deepFileCount += files.deepCount - (records[files.record]?.deepCount ?? 0)
        records[files.record] = files.isEmpty ? nil : files
        guard former != files.claims else { return TreeNews() }
        let (before, after) = (Set(former), Set(files.claims))
        var touched = TouchedNames()
        // New claims first, so that no folder goes and comes back.
        for claim in files.claims where !before.contains(claim) { enter(claim, &touched, at: time) }
        for claim in former where !after.contains(claim) { withdraw(claim, &touched) }
        return settle(touched, at: time)
    }

    /// Takes in all records of the zone, in place of all that were there.
    /// - Parameters:
    ///   - all: The files of each record that has any.
    ///   - time: The time, in milliseconds since 1970, for the folders that change.
    /// - Returns: The parts that the kernel knows and that have changed.
    mutating func replace(with all: [RecordFiles], at time: Int64) -> TreeNews {
        var news = TreeNews()
        let present = Set(all.map(\.record))
        for record in records.keys where !present.contains(record) {
            news.merge(apply(RecordFiles(without: record.wrappedValue), at: time))
        }
        for files in all { news.merge(apply(files, at: time)) }
        return news
    }

    // MARK: Questions

    /// The file or folder of a name.
    func child(_ name: Name, of folder: NodeID) -> NodeID? {
        guard let node = folders[folder] else { return nil }
        return node.subfolders[name] ?? node.files[name]
    }

    /// The attributes of a file or folder; `nil` for a number that stands for nothing.
    func attributes(of id: NodeID) -> NodeAttributes? {
        if let node = files[id] {
            return NodeAttributes(
                id: id,
                isFolder: false,
                byteCount: node.file.content.byteCount,
                modified: node.file.modified,
                isExecutable: node.file.isExecutable
            )
        }
        guard let node = folders[id] else { return nil }
        return NodeAttributes(id: id, isFolder: true, byteCount: 0, modified: node.modified, isExecutable: false)
    }

    /// The facts about a file; `nil` for a folder, and for a number that stands for nothing.
    func file(_ id: NodeID) -> MountedFile? { files[id]?.file }

    /// Whether a number stands for a folder.
    func isFolder(_ id: NodeID) -> Bool { folders[id] != nil }

    /// The entries of a folder, in the order of their names; `nil` for no folder.
    /// - Complexity: O(count · log count).
    func entries(of folder: NodeID) -> [FolderEntry]? {
        guard let node = folders[folder] else { return nil }
        let all = Array(node.subfolders) + Array(node.files)
        return all.sorted { $0.key < $1.key }.map { FolderEntry(name: $0.key.wrappedValue, id: $0.value) }
    }

    /// The folder that a folder is in; the root is in itself.
    func parent(of folder: NodeID) -> NodeID { folders[folder]?.identity.folder ?? .root }

    /// The path of a file or folder, for people: as it is, or was when it was in its folder.
    func path(of id: NodeID) -> String {
        var parts: [String] = []
        var next = files[id]?.identity ?? folders[id]?.identity
        while let identity = next, identity != .root {
            parts.append(identity.name.wrappedValue)
            next = folders[identity.folder]?.identity
        }
        return parts.reversed().joined(separator: "/")
    }

    /// The places that name a content now, at most ``placeCountMax``: that of a file first.
    /// - Parameters:
    ///   - content: The content.
    ///   - id: The file that is read; it need not be shown any more.
    /// - Returns: The places; none where no file that is shown has the content.
    func places(of content: FileContent, readAs id: NodeID) -> [FilePlace] {
        guard let all = holders[content] else { return [] }
        let own = all.contains(id) ? [id] : []
        let others = all.lazy.filter { $0 != id }.prefix(Self.placeCountMax - own.count)
        return (own + others).compactMap { files[$0]?.file.place }
    }

    /// The file that a record describes, as the last change of it told; `nil` for any other record.
    func source(of record: Name) -> FileSource? { records[record]?.source }

    // MARK: Numbers

    /// Takes a number for a file that is written.
    mutating func reserve(_ identity: NodeIdentity) -> NodeID {
        let id = number(for: identity)
        reserved[id] = true
        return id
    }

    /// Makes the number of a shown file that of a written one; the content gets another number.
    ///
    /// The kernel may have pages of the content under the number, which a program is about to change.
    /// - Parameter id: The number.
    /// - Returns: Whether it is that of a shown file.
    mutating func detach(_ id: NodeID) -> Bool {
        guard let node = files[id], node.isShown else { return false }
        reserved[id] = true
        files[id] = nil
        let other = number(for: node.identity)
        files[other] = node
        folders[node.identity.folder]?.files[node.identity.name] = other
        holders[node.file.content]?.remove(id)
        holders[node.file.content, default: []].insert(other)
        return true
    }

    /// Gives a number back that ``reserve(_:)`` or ``detach(_:)`` took, or a folder had; it stands for nothing else while the kernel knows it.
    mutating func unreserve(_ id: NodeID) { reserved[id] = lookups[id] == nil ? nil : false }

    /// Counts that the kernel looks up a number.
    mutating func noteLookup(of id: NodeID) {
        guard id != .root else { return }
        lookups[id, default: 0] += 1
    }

    /// Counts that the kernel forgets lookups of a number.
    mutating func forget(_ id: NodeID, count: UInt64 = 1) {
        guard let held = lookups[id] else { return }
        guard count >= held else {
            lookups[id] = held - count
            return
        }
        lookups[id] = nil
        dropIfUnused(id)
    }

    /// Drops a number that neither a folder has nor the kernel knows.
    mutating func dropIfUnused(_ id: NodeID) {
        guard id != .root, lookups[id] == nil else { return }
        if reserved[id] == false { reserved[id] = nil }
        if files[id]?.isShown == false { files[id] = nil }
        if folders[id]?.claimCount == 0 { folders[id] = nil }
    }

    /// Whether the kernel may know a number.
    func isKnown(_ id: NodeID) -> Bool { id == .root || lookups[id] != nil }

    /// The number for a thing: that which it has, else a free one.
    func number(for identity: NodeIdentity) -> NodeID {
        var number = numbering(identity) & NodeID.numberMax
        while true {
            if number <= NodeID.root.number { number = NodeID.root.number + 1 }
            let id = NodeID(number: number)
            let present = files[id]?.identity ?? folders[id]?.identity
            if reserved[id] == nil, present == nil || present == identity { return id }
            number = (number + 1) & NodeID.numberMax
        }
    }
}
