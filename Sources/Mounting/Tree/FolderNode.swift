internal import KairanInterface

/// A folder of the tree.
struct FolderNode: Sendable {
    /// The thing that its number stands for.
    let identity: NodeIdentity
    /// The number of claims in it and beneath it, and of folders that are kept; a folder without any is in no other folder.
    var claimCount = 0
    /// Whether it stays without files, because a program has made it or has changed something in it.
    var isKept = false
    /// The folders in it, by name.
    var subfolders: [Name: NodeID] = [:]
    /// The claims to each name, in the order of their ranks.
    var claims: [Name: [FileClaim]] = [:]
    /// The claims that do not get their name, by their other names, in the order of their ranks.
    var displaced: [Name: [FileClaim]] = [:]
    /// The files that are shown, by name.
    var files: [Name: NodeID] = [:]
    /// The time of the last change of what is shown in it, in milliseconds since 1970.
    var modified: Int64

    /// The claim whose file is shown under a name; `nil` where there is none, or the name belongs to a folder.
    func winner(of name: Name) -> FileClaim? {
        guard subfolders[name] == nil else { return nil }
        return claims[name]?.first ?? displaced[name]?.first
    }
}

/// A file of the tree, or one that is in no folder any more and that the kernel still knows.
struct FileNode: Sendable {
    /// The thing that its number stands for.
    let identity: NodeIdentity
    /// The facts about it.
    var file: MountedFile
    /// Whether it is in its folder.
    var isShown: Bool
}

/// A name in a folder.
struct NamePlace: Sendable, Hashable, Comparable {
    /// The folder.
    var folder: NodeID
    /// The name.
    var name: Name

    /// Whether the left place goes first.
    static func < (left: NamePlace, right: NamePlace) -> Bool {
        left.folder != right.folder ? left.folder < right.folder : left.name < right.name
    }
}

/// The names that a change of claims touches, each with what it stood for before.
struct TouchedNames: Sendable {
    private var before: [NamePlace: NodeID?] = [:]

    /// Notes a name, unless it is noted already.
    /// - Parameters:
    ///   - place: The name.
    ///   - id: The folder or file that it stands for; `nil` where there is none.
    mutating func note(_ place: NamePlace, standsFor id: NodeID?) {
        if before.index(forKey: place) == nil { before.updateValue(id, forKey: place) }
    }

    /// The names in order.
    ///
    /// Takes O(*n* log *n*) comparisons.
    func sorted() -> [(place: NamePlace, before: NodeID?)] {
        before.sorted { $0.key < $1.key }.map { (place: $0.key, before: $0.value) }
    }
}

/// The parts of the tree that the kernel knows and that have changed.
struct TreeNews: Sendable, Hashable {
    /// Names that stand for another file or folder than before, or for none.
    var names: Set<NamePlace> = []
    /// Files and folders with other attributes than before.
    var nodes: Set<NodeID> = []

    /// Whether nothing has changed that the kernel knows.
    var isEmpty: Bool { names.isEmpty && nodes.isEmpty }

    /// Adds other news.
    mutating func merge(_ other: TreeNews) {
        names.formUnion(other.names)
        nodes.formUnion(other.nodes)
    }
}

/// The facts about a file or folder that programs see (`stat`).
struct NodeAttributes: Sendable, Hashable {
    /// Its number.
    var id: NodeID
    /// Whether it is a folder.
    var isFolder: Bool
    /// The number of bytes of a file; 0 for a folder.
    var byteCount: UInt64
    /// The time of its last change, in milliseconds since 1970.
    var modified: Int64
    /// Whether a file may be executed.
    var isExecutable: Bool
}

/// An entry of a folder.
struct FolderEntry: Sendable, Hashable {
    /// The name.
    var name: String
    /// The file or folder.
    var id: NodeID
}
