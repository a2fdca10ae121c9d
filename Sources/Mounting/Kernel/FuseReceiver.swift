internal import CFUSE
internal import Glibc
internal import KairanInterface

/// Turns the calls of the C library into values, and does nothing else.
final class FuseReceiver: Sendable {
    private let target: any KernelCalls
    private let owner: FuseOwner

    init(_ target: any KernelCalls, _ owner: FuseOwner) { (self.target, self.owner) = (target, owner) }

    /// The function that the C library calls.
    static let handler: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<kairan_fuse_call>?) -> Void = {
        context,
        call in
        guard let context = unsafe context, let call = unsafe call else { return }
        // SAFETY: the context is the unretained receiver of the mount, which outlives the serving; the call is valid meanwhile.
        let receiver = unsafe Unmanaged<FuseReceiver>.fromOpaque(context).takeUnretainedValue()
        unsafe receiver.receive(call.pointee)
    }

    private func receive(_ call: kairan_fuse_call) {
        let kind = unsafe call.kind
        guard let request = unsafe call.request else {
            if let notice = unsafe Self.notice(kind, call) { target.take(notice) }
            return
        }
        let answer = unsafe PendingAnswer(number: call.number, sender: FuseRequest(request, owner))
        guard let request = unsafe Self.request(kind, call) else {
            answer.send(.failure(ENOSYS))
            return
        }
        target.take(request, answer)
    }

    private static func notice(_ kind: kairan_fuse_kind, _ call: kairan_fuse_call) -> KernelNotice? {
        switch kind {
        case KAIRAN_FUSE_FORGET: unsafe .forget(NodeID(number: call.node), count: call.count)
        case KAIRAN_FUSE_RELEASE: unsafe .release(handle: call.handle)
        case KAIRAN_FUSE_RELEASE_FOLDER: unsafe .releaseFolder(handle: call.handle)
        case KAIRAN_FUSE_INTERRUPTED: unsafe .interrupted(number: call.number)
        default: nil
        }
    }

    private static func request(_ kind: kairan_fuse_kind, _ call: kairan_fuse_call) -> KernelRequest? {
        let node = unsafe NodeID(number: call.node)
        let count = unsafe Int(clamping: call.count)
        switch kind {
        case KAIRAN_FUSE_LOOKUP: return unsafe .lookUp(name: text(call.name).map { Name($0) }, folder: node)
        case KAIRAN_FUSE_ATTRIBUTES: return .attributes(node)
        case KAIRAN_FUSE_OPEN: return unsafe .open(node, flags: call.flags)
        case KAIRAN_FUSE_READ: return unsafe .read(handle: call.handle, offset: call.offset, count: count)
        case KAIRAN_FUSE_OPEN_FOLDER: return .openFolder(node)
        case KAIRAN_FUSE_READ_FOLDER, KAIRAN_FUSE_READ_FOLDER_PLUS:
            return unsafe .readFolder(
                handle: call.handle,
                offset: call.offset,
                room: count,
                isPlus: kind == KAIRAN_FUSE_READ_FOLDER_PLUS
            )
        case KAIRAN_FUSE_STATISTICS: return .statistics
        // No attribute of ours has a name that is not UTF-8.
        case KAIRAN_FUSE_GET_EXTENDED: return unsafe .extended(node, name: text(call.name) ?? "", room: count)
        case KAIRAN_FUSE_LIST_EXTENDED: return .extendedNames(node, room: count)
        default: return unsafe changing(kind, call)
        }
    }

    /// The requests that only a writable mount gets.
    private static func changing(_ kind: kairan_fuse_kind, _ call: kairan_fuse_call) -> KernelRequest? {
        let node = unsafe NodeID(number: call.node)
        let name = unsafe text(call.name).map { Name($0) }
        switch kind {
        case KAIRAN_FUSE_CREATE: return unsafe .create(name: name, folder: node, mode: call.mode, flags: call.flags)
        case KAIRAN_FUSE_WRITE:
            return unsafe .write(handle: call.handle, offset: call.offset, bytes: bytes(call.bytes, call.count))
        case KAIRAN_FUSE_SET_ATTRIBUTES:
            let set = unsafe call.set
            let handle = unsafe call.handle
            let isByHandle = set & UInt32(KAIRAN_FUSE_SET_BY_HANDLE) != 0
            return unsafe .set(node, handle: isByHandle ? handle : nil, change(call))
        case KAIRAN_FUSE_FLUSH: return unsafe .flush(handle: call.handle)
        case KAIRAN_FUSE_SYNCHRONIZE: return unsafe .synchronize(handle: call.handle)
        case KAIRAN_FUSE_MAKE_FOLDER: return .makeFolder(name: name, folder: node)
        case KAIRAN_FUSE_UNLINK: return .unlink(name: name, folder: node)
        case KAIRAN_FUSE_REMOVE_FOLDER: return .removeFolder(name: name, folder: node)
        case KAIRAN_FUSE_RENAME:
            let newName = unsafe text(call.other_name).map { Name($0) }
            let newFolder = unsafe NodeID(number: call.other_node)
            let flags = unsafe UInt32(bitPattern: call.flags)
            return .rename(name: name, folder: node, newName: newName, newFolder: newFolder, flags: flags)
        default: return nil
        }
    }

    private static func change(_ call: kairan_fuse_call) -> NodeChange {
        let set = unsafe call.set
        func has(_ bit: UInt32) -> Bool { set & bit != 0 }
        var change = NodeChange()
        if has(UInt32(KAIRAN_FUSE_SET_MODE)) { change.mode = unsafe call.mode }
        if has(UInt32(KAIRAN_FUSE_SET_USER)) { change.user = unsafe call.user }
        if has(UInt32(KAIRAN_FUSE_SET_GROUP)) { change.group = unsafe call.group }
        if has(UInt32(KAIRAN_FUSE_SET_SIZE)) { change.byteCount = unsafe call.count }
        if has(UInt32(KAIRAN_FUSE_SET_TIME)) {
            let (seconds, nanoseconds) = unsafe (call.seconds, call.nanoseconds)
            let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000)
            change.modified = isTooLarge ? nil : whole &+ Int64(nanoseconds / 1_000_000)
        }
        return change
    }

    /// Bytes of the kernel, copied.
    private static func bytes(_ pointer: UnsafeRawPointer?, _ count: UInt64) -> [UInt8] {
        guard let pointer = unsafe pointer else { return [] }
        // SAFETY: the C library passes so many bytes, which are valid during the call.
        return unsafe Array(UnsafeRawBufferPointer(start: pointer, count: Int(clamping: count)))
    }

    /// A text of the kernel; `nil` where it is not UTF-8.
    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        // SAFETY: the C library passes a text that ends with a NUL, or nil.
        unsafe pointer.flatMap { unsafe String(validatingCString: $0) }
    }
}

/// The user and group to which the files of a mount belong, those of this process, and the permissions that they have.
struct FuseOwner: Sendable {
    /// The user.
    let user: UInt32
    /// The group.
    let group: UInt32
    /// Whether the files may be written.
    let isWritable: Bool

    /// Asks the system.
    init(isWritable: Bool = false) { (user, group, self.isWritable) = (getuid(), getgid(), isWritable) }

    /// The seconds for which the kernel keeps a name and attributes without asking again.
    ///
    /// Of a mount that is written it keeps none: a write of this mount is seen by the next question, without news to the kernel, which could
    /// wait for a folder whose change waits for that write.
    var seconds: Double { isWritable ? 0 : FuseMount.seconds }

    /// Attributes as the C library takes them.
    func attributes(_ attributes: NodeAttributes) -> kairan_fuse_attributes {
        var raw = kairan_fuse_attributes()
        raw.node = attributes.id.number
        raw.size = attributes.byteCount
        let time = attributes.modified.quotientAndRemainder(dividingBy: 1_000)
        // The parts of a second count forward, also before 1970.
        raw.seconds = time.remainder < 0 ? time.quotient - 1 : time.quotient
        raw.nanoseconds = UInt32(time.remainder < 0 ? time.remainder + 1_000 : time.remainder) * 1_000_000
        raw.mode = attributes.isFolder ? S_IFDIR | 0o555 : S_IFREG | (attributes.isExecutable ? 0o555 : 0o444)
        if isWritable { raw.mode |= attributes.isFolder ? 0o755 : 0o644 }
        // The number of links of a folder says how many folders are in it to some programs; 1 says that it is not counted.
        raw.links = 1
        (raw.user, raw.group) = (user, group)
        return raw
    }
}

/// A request of the C library.
///
/// SAFETY: the library allows answers from any thread, and ``PendingAnswer`` sends one answer. So the pointer is sendable.
@safe
private struct FuseRequest: AnswerSender, @unchecked Sendable {
    private let request: OpaquePointer
    private let owner: FuseOwner

    init(_ request: OpaquePointer, _ owner: FuseOwner) {
        unsafe self.request = request
        self.owner = owner
    }

    func send(_ answer: KernelAnswer) -> Int32 {
        switch answer {
        case .failure(let number): return unsafe kairan_fuse_answer_error(request, number)
        case .entry(let attributes):
            var raw = owner.attributes(attributes)
            return unsafe kairan_fuse_answer_entry(request, &raw, owner.seconds)
        case .attributes(let attributes):
            var raw = owner.attributes(attributes)
            return unsafe kairan_fuse_answer_attributes(request, &raw, owner.seconds)
        case .opened(let handle): return unsafe kairan_fuse_answer_open(request, handle, 1)
        case .openedAnew(let handle): return unsafe kairan_fuse_answer_open(request, handle, 0)
        case .created(let attributes, let handle):
            var raw = owner.attributes(attributes)
            return unsafe kairan_fuse_answer_created(request, &raw, handle, owner.seconds)
        case .written(let count): return unsafe kairan_fuse_answer_written(request, count)
        case .done: return unsafe kairan_fuse_answer_error(request, 0)
        case .bytes(let bytes):
            return unsafe bytes.withUnsafeBytes { unsafe kairan_fuse_answer_bytes(request, $0.baseAddress, $0.count) }
        case .size(let count): return unsafe kairan_fuse_answer_size(request, count)
        case .statistics(let byteCount, let fileCount, let freeByteCount):
            return unsafe kairan_fuse_answer_statistics(request, byteCount, fileCount, freeByteCount)
        }
    }
}
