/// The facts of the system about a file, one of which changes whenever another program writes to it.
package struct FileFacts: Hashable, Sendable {
    /// The bytes of its content.
    package let byteCount: UInt64
    /// The time of the last change of its content, in nanoseconds since 1970.
    package let modified: Int64
    /// The time of the last change of its content or of its description, in nanoseconds since 1970.
    package let changed: Int64
    /// Its number in its file system.
    package let inode: UInt64
    /// The number of the file system, which may be another one after each start of the machine.
    package let device: UInt64

    /// Describes a file.
    /// - Parameters: as the properties of the same names.
    package init(byteCount: UInt64, modified: Int64, changed: Int64, inode: UInt64, device: UInt64) {
        (self.byteCount, self.modified, self.changed) = (byteCount, modified, changed)
        (self.inode, self.device) = (inode, device)
    }

    /// Whether these are the facts about the same file, to which no program has written meanwhile.
    ///
    /// The number of the file system is left out: a disk that is mounted again has another one.
    package func agree(with other: FileFacts) -> Bool {
        byteCount == other.byteCount && modified == other.modified && changed == other.changed && inode == other.inode
    }

    /// Whether this is the same file under another name, as far as its facts show: a change of the name changes the last of its times.
    package func suggestsMove(from other: FileFacts) -> Bool {
        byteCount == other.byteCount && modified == other.modified && inode == other.inode && device == other.device
    }
}
