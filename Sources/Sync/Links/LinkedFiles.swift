/// The reason for which a file cannot be linked, or a linked file cannot be read.
package enum LinkFault: Error, Hashable, Sendable {
    /// The path is not beneath a root.
    case outside
    /// The path, or a name in it, has more bytes than the system takes.
    case tooLong
    /// The path has a zero byte.
    case badName
    /// The root is not there, as where its disk is not mounted.
    case rootUnavailable
    /// There is no such file.
    case missing
    /// A symbolic link is on the way, or is the file itself.
    case symbolicLink
    /// It is a folder, a pipe, a socket or a device.
    case special
    /// This process may not read it, or the disk cannot.
    case unreadable
    /// It is another file than expected, or it has changed while it was read.
    case changed
    /// It has more bytes than a content may have.
    case tooLarge
}

extension LinkFault: CustomStringConvertible {
    /// The fault for logs.
    package var description: String {
        switch self {
        case .outside: "the path is not beneath a root"
        case .tooLong: "the path, or a name in it, is longer than the system allows"
        case .badName: "the path has a zero byte"
        case .rootUnavailable: "the root is not there"
        case .missing: "there is no such file"
        case .symbolicLink: "a symbolic link is on the way, or is the file itself"
        case .special: "it is no regular file"
        case .unreadable: "this process cannot read the file"
        case .changed: "the file has changed"
        case .tooLarge: "the file has more bytes than a content may have"
        }
    }
}

/// An entry of a folder beneath a root.
package struct LinkedEntry: Hashable, Sendable {
    /// The kind of an entry, with the facts about a file.
    package enum Kind: Hashable, Sendable {
        /// A regular file.
        case file(FileFacts)
        /// A folder of the same file system, or of one that is mounted there.
        case folder
    }

    /// Its name.
    package let name: [UInt8]
    /// Its kind.
    package let kind: Kind

    /// Describes an entry.
    /// - Parameters: as the properties of the same names.
    package init(name: [UInt8], kind: Kind) { (self.name, self.kind) = (name, kind) }
}

/// The files beneath the roots of this device, which other programs keep.
///
/// A transaction reads them as it reads the files of the store, and writes to none of them. They are not part of the store's content: each
/// reading may find them changed.
package protocol LinkedFiles: Sendable {
    /// The roots, by the paths that the configuration has for them.
    var roots: [String] { get }
    /// The facts about a file.
    func facts(of place: LinkedPlace) throws(LinkFault) -> FileFacts
    /// Reads bytes of a file, whose facts are compared before and behind the reading.
    /// - Parameters:
    ///   - place: The file.
    ///   - facts: The expected facts.
    ///   - offset: The offset of the first byte.
    ///   - count: The number of bytes; the end of the file is not among the reasons for fewer.
    /// - Returns: As many bytes.
    /// - Throws: ``LinkFault``; ``LinkFault/changed`` also where the file is shorter.
    func read(
        _ place: LinkedPlace,
        expecting facts: FileFacts,
        from offset: UInt64,
        count: Int
    ) throws(LinkFault) -> [UInt8]
    /// The files and folders in a folder, in no order; other entries are left out.
    /// - Parameters:
    ///   - root: The root.
    ///   - folder: The path of the folder beneath it; empty for the root itself.
    /// - Returns: The entries.
    /// - Throws: ``LinkFault``.
    func entries(root: String, folder: [UInt8]) throws(LinkFault) -> [LinkedEntry]
}

/// The files of a device without roots.
package struct NoLinkedFiles: LinkedFiles {
    /// Describes a device without roots.
    package init() {}

    /// None.
    package var roots: [String] { [] }

    /// Throws that there is no root.
    package func facts(of place: LinkedPlace) throws(LinkFault) -> FileFacts { throw .rootUnavailable }

    /// Throws that there is no root.
    package func read(
        _ place: LinkedPlace,
        expecting facts: FileFacts,
        from offset: UInt64,
        count: Int
    ) throws(LinkFault) -> [UInt8] { throw .rootUnavailable }

    /// Throws that there is no root.
    package func entries(root: String, folder: [UInt8]) throws(LinkFault) -> [LinkedEntry] { throw .rootUnavailable }
}
