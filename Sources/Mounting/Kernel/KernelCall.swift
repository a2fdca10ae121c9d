internal import KairanInterface

/// A request of the kernel that waits for one answer.
enum KernelRequest: Sendable, Hashable {
    /// The file or folder of a name; `nil` for a name that is not UTF-8.
    case lookUp(name: Name?, folder: NodeID)
    /// The attributes of a file or folder.
    case attributes(NodeID)
    /// A file is opened, with the flags of `open(2)`.
    case open(NodeID, flags: Int32)
    /// Bytes of an open file.
    case read(handle: UInt64, offset: UInt64, count: Int)
    /// A folder is opened.
    case openFolder(NodeID)
    /// Entries of an open folder, from an offset on and in so many bytes; with the attributes of the entries, which are looked up so.
    case readFolder(handle: UInt64, offset: UInt64, room: Int, isPlus: Bool)
    /// The size of the file system.
    case statistics
    /// An extended attribute, in so many bytes; 0 asks for its size.
    case extended(NodeID, name: String, room: Int)
    /// The names of the extended attributes, in so many bytes; 0 asks for their size.
    case extendedNames(NodeID, room: Int)
    /// A file is created and opened, with permissions and the flags of `open(2)`.
    case create(name: Name?, folder: NodeID, mode: UInt32, flags: Int32)
    /// Bytes for an open file.
    case write(handle: UInt64, offset: UInt64, bytes: [UInt8])
    /// Attributes that a program sets, by an open file where it has one.
    case set(NodeID, handle: UInt64?, NodeChange)
    /// A descriptor of an open file is closed.
    case flush(handle: UInt64)
    /// An open file is to be durable.
    case synchronize(handle: UInt64)
    /// A folder is made.
    case makeFolder(name: Name?, folder: NodeID)
    /// A file is removed.
    case unlink(name: Name?, folder: NodeID)
    /// A folder is removed.
    case removeFolder(name: Name?, folder: NodeID)
    /// A file or a folder gets another name, with the flags of `renameat2(2)`.
    case rename(name: Name?, folder: NodeID, newName: Name?, newFolder: NodeID, flags: UInt32)
}

/// The attributes that a program sets; those that are `nil` stay.
struct NodeChange: Sendable, Hashable {
    /// The permissions.
    var mode: UInt32?
    /// The user.
    var user: UInt32?
    /// The group.
    var group: UInt32?
    /// The number of bytes.
    var byteCount: UInt64?
    /// The time of the last change, in milliseconds since 1970.
    var modified: Int64?
}

/// A message of the kernel without an answer.
enum KernelNotice: Sendable, Hashable {
    /// It forgets lookups of a number.
    case forget(NodeID, count: UInt64)
    /// An open file is closed.
    case release(handle: UInt64)
    /// An open folder is closed.
    case releaseFolder(handle: UInt64)
    /// The program that waits for the request of this number wants to wait no longer.
    case interrupted(number: UInt64)
}

/// An answer to the kernel.
enum KernelAnswer: Sendable, Hashable {
    /// An error number of the system.
    case failure(Int32)
    /// A file or folder that was looked up.
    case entry(NodeAttributes)
    /// Attributes.
    case attributes(NodeAttributes)
    /// An open file, whose pages the kernel may keep, or an open folder.
    case opened(handle: UInt64)
    /// An open file of which a program may write the content: the kernel drops the pages that it has.
    case openedAnew(handle: UInt64)
    /// A file that was created and is open.
    case created(NodeAttributes, handle: UInt64)
    /// The number of bytes that were written.
    case written(Int)
    /// Success without content.
    case done
    /// Bytes of a file, of a folder's entries, or of an extended attribute.
    case bytes([UInt8])
    /// The size of an extended attribute, or of their names.
    case size(Int)
    /// The size of the file system, and the bytes that it has room for.
    case statistics(byteCount: UInt64, fileCount: UInt64, freeByteCount: UInt64 = 0)
}

/// Takes the calls of the kernel for a mount, on the thread that reads them; so it does not block.
protocol KernelCalls: Sendable {
    /// Takes a request, and sees to it that it is answered.
    func take(_ request: KernelRequest, _ answer: PendingAnswer)
    /// Takes a message.
    func take(_ notice: KernelNotice)
}
