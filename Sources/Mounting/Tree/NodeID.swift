internal import Crypto
internal import FoundationEssentials
internal import KairanInterface

/// The number by which the kernel and programs name a file or folder of a mount (`st_ino`).
struct NodeID: Sendable, Hashable, Comparable {
    /// The folder that is mounted.
    static let root = NodeID(number: 1)
    /// The largest number: some programs read it as one with a sign.
    static let numberMax = UInt64.max >> 1

    /// The number, 1 or more.
    let number: UInt64

    /// Whether the left number is lower.
    static func < (left: NodeID, right: NodeID) -> Bool { left.number < right.number }
}

/// The thing that a number stands for.
///
/// The content of a file is a part of it: a name that gets other content becomes another file, so that the content of a number never
/// changes. Pages that the kernel keeps of one content, and readings of a file that is open, are therefore never mixed with those of
/// another one.
struct NodeIdentity: Sendable, Hashable {
    /// The folder that it is in; the root is in itself.
    var folder: NodeID
    /// Its name there.
    var name: Name
    /// The content of a file; `nil` for a folder.
    var content: FileContent?

    /// The folder that is mounted.
    static let root = NodeIdentity(folder: .root, name: Name(""), content: nil)

    /// A number that depends on nothing but the identity, so that it is the same in the next mount: the beginning of a SHA-256.
    var digest: UInt64 {
        var bytes = Self.bytes(folder.number) + Array(name.wrappedValue.utf8) + [0]
        if let content { bytes += Array(content.asset.utf8) + Self.bytes(content.byteCount) }
        return SHA256.hash(data: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
