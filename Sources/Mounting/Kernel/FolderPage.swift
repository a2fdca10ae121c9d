internal import CFUSE

/// A part of the entries of a folder, in the form of the kernel.
struct FolderPage: Sendable {
    private var buffer: [UInt8]
    private var byteCount = 0
    private let isPlus: Bool
    private let owner: FuseOwner

    /// The most bytes of a page, whatever the kernel has room for.
    static let byteCountMax = 1 << 20

    /// Begins a page.
    /// - Parameters:
    ///   - room: The number of bytes that the kernel has room for.
    ///   - isPlus: Whether the attributes of the entries are in it.
    ///   - owner: The user and group of the files.
    init(room: Int, isPlus: Bool, owner: FuseOwner) {
        buffer = [UInt8](repeating: 0, count: min(max(room, 0), Self.byteCountMax))
        (self.isPlus, self.owner) = (isPlus, owner)
    }

    /// The entries so far.
    var bytes: [UInt8] { Array(buffer[..<byteCount]) }

    /// Adds an entry.
    /// - Parameters:
    ///   - name: Its name.
    ///   - attributes: Its attributes.
    ///   - next: The offset of the entry behind it, not 0.
    /// - Returns: Whether there was room for it.
    mutating func add(_ name: String, _ attributes: NodeAttributes, next: UInt64) -> Bool {
        var raw = owner.attributes(attributes)
        let (start, isPlus, seconds) = (byteCount, isPlus, owner.seconds)
        let (size, room) = unsafe buffer.withUnsafeMutableBytes { bytes in
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            let size = unsafe kairan_fuse_add_entry(
                rest.baseAddress,
                rest.count,
                name,
                &raw,
                next,
                isPlus ? 1 : 0,
                seconds
            )
            return (size, rest.count)
        }
        guard size <= room else { return false }
        byteCount += size
        return true
    }
}
