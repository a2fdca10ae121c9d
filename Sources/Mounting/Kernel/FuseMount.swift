internal import CFUSE
internal import Dispatch
internal import Glibc
internal import KairanInterface

/// A folder that shows a zone, by libfuse.
///
/// SAFETY: libfuse allows its functions on a session from any thread at once. `end()` frees the mount, and its caller waits before that
/// until no other call is under way and all requests are answered. So the pointer is sendable.
@safe
final class FuseMount: @unchecked Sendable {
    /// The seconds for which the kernel keeps a name and attributes of a read-only mount without asking again.
    ///
    /// Changes are announced to it; this is the time after which one is noticed that was announced while an older answer was on its way.
    static let seconds = 1.0

    private let mount: OpaquePointer
    private let receiver: FuseReceiver
    /// For the calls of the kernel: it blocks between them.
    private let calls = DispatchQueue(label: "kairan.mount.calls")
    /// For news to the kernel, which waits there for the folders that it names.
    private let news = DispatchQueue(label: "kairan.mount.news")

    /// Mounts.
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - options: The options.
    ///   - target: Takes the calls of the kernel once ``serve()`` runs.
    /// - Throws: ``MountError``.
    init(_ folder: String, _ options: MountOptions, _ target: any KernelCalls) throws(MountError) {
        let receiver = FuseReceiver(target, FuseOwner(isWritable: options.isWritable))
        // SAFETY: the receiver lives as long as self, and self as long as the mount is served.
        let context = unsafe Unmanaged.passUnretained(receiver).toOpaque()
        let made = unsafe kairan_fuse_mount(folder, options.text, FuseReceiver.handler, context)
        guard let made = unsafe made else { throw .refused(folder) }
        self.receiver = receiver
        unsafe mount = made
    }

    /// Passes on the calls of the kernel until the folder is unmounted or ``stop()`` is called.
    /// - Throws: ``MountError``.
    func serve() async throws(MountError) {
        let number = await withCheckedContinuation { continuation in
            calls.async { [self] in continuation.resume(returning: unsafe kairan_fuse_serve(mount)) }
        }
        guard number == 0 else { throw .failed(number) }
    }

    /// Ends ``serve()``.
    func stop() { unsafe kairan_fuse_stop(mount) }

    /// Makes the kernel ask again for the parts of the tree that have changed.
    func expire(_ changed: TreeNews) async {
        await withCheckedContinuation { continuation in
            news.async { [self] in
                for place in changed.names {
                    let name = Array(place.name.wrappedValue.utf8CString)
                    // A name that the kernel does not know is no error, and neither is a mount that has ended.
                    _ = unsafe kairan_fuse_expire_name(mount, place.folder.number, name, name.count - 1)
                }
                for node in changed.nodes { _ = unsafe kairan_fuse_expire_attributes(mount, node.number) }
                continuation.resume()
            }
        }
    }

    /// Unmounts, where that is still to be done.
    ///
    /// Nothing may use the mount any more, and no request may wait.
    func end() async {
        await withCheckedContinuation { continuation in
            calls.async { [self] in
                unsafe kairan_fuse_end(mount)
                continuation.resume()
            }
        }
    }
}

/// A folder that could not be mounted, or a mount that ended by itself.
enum MountError: Error, Hashable {
    /// It could not be mounted, for a reason that libfuse has written to standard error.
    case refused(String)
    /// The calls of the kernel could not be read, by the error number.
    case failed(Int32)
}

extension MountError: CustomStringConvertible {
    /// The reason, as a sentence.
    var description: String {
        switch self {
        case .refused(let folder): "\(folder) could not be mounted."
        // SAFETY: strerror returns a string for any number.
        case .failed(let number): unsafe "The connection to the kernel failed: \(String(cString: strerror(number)))."
        }
    }
}
