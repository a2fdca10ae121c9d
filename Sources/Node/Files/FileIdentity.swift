import Glibc

/// The file or directory that a path led to at one moment, to notice that it leads elsewhere.
package struct FileIdentity: Sendable, Hashable {
    /// The path, as it was given.
    package let path: String
    private let device: UInt
    private let inode: UInt

    /// Notes the file or directory that is there; `nil` when there is nothing.
    /// - Parameter path: The path; links are followed.
    package init?(_ path: String) {
        guard let (device, inode) = Self.identity(of: path) else { return nil }
        self.path = path
        self.device = device
        self.inode = inode
    }

    /// Device and inode, as systemd names the stream to the journal.
    package var numbers: String { "\(device):\(inode)" }

    /// Whether the path still leads to it: it was not removed, moved away or replaced.
    /// - Complexity: One call of the system.
    package var isThere: Bool {
        guard let (device, inode) = Self.identity(of: path) else { return false }
        return device == self.device && inode == self.inode
    }

    private static func identity(of path: String) -> (UInt, UInt)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (UInt(status.st_dev), UInt(status.st_ino))
    }
}
