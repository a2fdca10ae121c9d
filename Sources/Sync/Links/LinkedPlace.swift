/// The place of a file that another program keeps: a root, and the path beneath it.
package struct LinkedPlace: Hashable, Sendable {
    /// The most bytes of a path: the system takes no longer one.
    package static let byteCountMax = 4_095
    /// The most bytes of the name of a file or a folder.
    package static let nameByteCountMax = 255

    /// The root, by the path that the daemon's configuration has for it.
    package let root: String
    /// The path beneath the root, without a separator at its beginning; any bytes but zero.
    package let path: [UInt8]

    /// Names a place.
    /// - Parameters:
    ///   - root: The root.
    ///   - path: The path beneath it.
    /// - Throws: ``LinkFault/outside`` for a path that is empty or absolute, or has an empty name, `.` or `..`; ``LinkFault/badName`` for
    ///   one with a zero byte; ``LinkFault/tooLong``.
    package init(root: String, path: [UInt8]) throws(LinkFault) {
        guard path.count <= Self.byteCountMax else { throw .tooLong }
        guard !path.contains(0) else { throw .badName }
        for name in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !name.isEmpty, name != [UInt8(ascii: ".")], !name.elementsEqual("..".utf8) else { throw .outside }
            guard name.count <= Self.nameByteCountMax else { throw .tooLong }
        }
        (self.root, self.path) = (root, path)
    }

    /// Finds the place of an absolute path.
    /// - Parameters:
    ///   - absolute: The path, which begins with a separator.
    ///   - roots: The roots.
    /// - Throws: ``LinkFault/outside`` where the path is beneath no root, and as ``init(root:path:)``.
    package init(absolute: [UInt8], roots: [String]) throws(LinkFault) {
        let root = roots.first { absolute.starts(with: Self.beginning($0)) }
        guard let root else { throw .outside }
        try self.init(root: root, path: Array(absolute.dropFirst(Self.beginning(root).count)))
    }

    /// The beginning of the paths of everything beneath a root.
    private static func beginning(_ root: String) -> [UInt8] {
        Array(root.utf8) + (root == "/" ? [] : [UInt8(ascii: "/")])
    }

    /// The absolute path, for people; bytes that are no text are replaced.
    package var text: String {
        (root == "/" ? "" : root) + "/" + String(decoding: path, as: UTF8.self)
    }
}

extension LinkedPlace: Comparable {
    /// The order of the roots, in a root that of the paths' bytes.
    package static func < (left: Self, right: Self) -> Bool {
        guard left.root == right.root else { return left.root.utf8.lexicographicallyPrecedes(right.root.utf8) }
        return left.path.lexicographicallyPrecedes(right.path)
    }
}
