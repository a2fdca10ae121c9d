internal import CFUSE
internal import Glibc
internal import KairanInterface

/// Turns the calls of the C library into values, and does nothing else.
final class FuseReceiver: Sendable {
    private let target: any KernelCalls
    private let owner = FuseOwner()

    init(_ target: any KernelCalls) { self.target = target }

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
        default: return nil
        }
    }

    /// A text of the kernel; `nil` where it is not UTF-8.
    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        // SAFETY: the C library passes a text that ends with a NUL, or nil.
        unsafe pointer.flatMap { unsafe String(validatingCString: $0) }
    }
}

/// The user and group to which the files of a mount belong: those of this process.
struct FuseOwner: Sendable {
    /// The user.
    let user: UInt32
    /// The group.
    let group: UInt32

    /// Asks the system.
    init() { (user, group) = (getuid(), getgid()) }

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
            return unsafe kairan_fuse_answer_entry(request, &raw, FuseMount.seconds)
        case .attributes(let attributes):
            var raw = owner.attributes(attributes)
            return unsafe kairan_fuse_answer_attributes(request, &raw, FuseMount.seconds)
        case .opened(let handle): return unsafe kairan_fuse_answer_open(request, handle, 1)
        case .bytes(let bytes):
            return unsafe bytes.withUnsafeBytes { unsafe kairan_fuse_answer_bytes(request, $0.baseAddress, $0.count) }
        case .size(let count): return unsafe kairan_fuse_answer_size(request, count)
        case .statistics(let byteCount, let fileCount):
            return unsafe kairan_fuse_answer_statistics(request, byteCount, fileCount)
        }
    }
}
