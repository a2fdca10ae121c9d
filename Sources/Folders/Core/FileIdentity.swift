/// The marks by which the file system tells one state of a file from another without reading it.
package struct FileIdentity: Sendable, Hashable {
    /// The file system.
    package var device: UInt64
    /// The number of the file in the file system.
    package var inode: UInt64
    /// The number of bytes.
    package var size: UInt64
    /// The time of the last change of the bytes, in nanoseconds since 1970.
    package var modified: Int64
    /// The time of the last change of the bytes, the mode or the name, in nanoseconds since 1970.
    package var changed: Int64
    /// Whether the owner may execute it.
    package var isExecutable: Bool

    /// Describes a file.
    /// - Parameters: as the properties of the same names.
    package init(
        device: UInt64,
        inode: UInt64,
        size: UInt64,
        modified: Int64,
        changed: Int64,
        isExecutable: Bool = false
    ) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
        self.isExecutable = isExecutable
    }

    /// Whether both are one file with the same bytes, also if it has another name by now: renaming changes the last time.
    package func isSameFile(as other: FileIdentity) -> Bool {
        var other = other
        other.changed = changed
        return self == other
    }

    /// The time of the last change of the bytes, in milliseconds since 1970.
    package var modifiedMilliseconds: Int64 { modified / 1_000_000 }
}

/// The file that a decision expects at a path.
package enum LocalExpectation: Sendable, Hashable {
    /// None.
    case nothing
    /// This one, unchanged.
    case file(FileIdentity)
    /// This one, unchanged, of which nothing but another device's word says that the zone has its bytes: the trash keeps it.
    case unsavedFile(FileIdentity)

    /// The file that is expected; `nil` for none.
    package var file: FileIdentity? {
        switch self {
        case .nothing: nil
        case .file(let identity), .unsavedFile(let identity): identity
        }
    }
}
