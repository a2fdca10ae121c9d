import Dispatch
import FoundationEssentials
import Glibc

/// A file that is uploaded: its size, its time, and its bytes piece by piece.
///
/// Reading may block for as long as the disk takes, so it is done on a thread of its own.
struct SourceFile: AsyncSequence, Sendable {
    /// A piece, never empty.
    typealias Element = [UInt8]

    /// The number of bytes when it was opened; any other number, and a later change, is an error.
    let size: UInt64
    /// The time of its last change when it was opened.
    let modifiedAt: Date
    private let descriptor: Descriptor
    private let stamp: FileStamp
    private let path: String
    private let queue = DispatchQueue(label: "kairan.upload")
    private let progress: (@Sendable (TransferProgress) -> Void)?

    private static let pieceByteCount = 256 << 10

    /// Opens a file.
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - progress: Called with each piece that is read.
    /// - Throws: ``KairanError`` with the code `file.unreadable`.
    init(_ fileURL: URL, progress: (@Sendable (TransferProgress) -> Void)?) throws(KairanError) {
        let path = fileURL.path(percentEncoded: false)
        // A pipe without a writer would block the caller: its end is found out below.
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw .unreadable(path, errno) }
        let descriptor = Descriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile(path) }
        size = UInt64(clamping: status.st_size)
        stamp = FileStamp(status)
        let time = status.st_mtim
        modifiedAt = Date(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
        (self.path, self.descriptor, self.progress) = (path, descriptor, progress)
    }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator { Iterator(file: self) }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let file: SourceFile
        private var position: UInt64 = 0

        fileprivate init(file: SourceFile) { self.file = file }

        /// The next piece; `nil` at the end.
        /// - Throws: ``KairanError``: `file.unreadable`, `file.changed`.
        mutating func next() async throws -> [UInt8]? {
            let (file, position) = (file, position)
            let read: [UInt8]? = try await withCheckedThrowingContinuation { continuation in
                file.queue.async { continuation.resume(with: Result { try file.read(at: position) }) }
            }
            guard let piece = read else {
                guard position == file.size else { throw KairanError.changed(file.path) }
                return nil
            }
            self.position += UInt64(piece.count)
            guard self.position <= file.size else { throw KairanError.changed(file.path) }
            // Before the last piece is sent, with which the daemon has all that was announced.
            if self.position == file.size, file.hasChanged { throw KairanError.changed(file.path) }
            file.progress?(TransferProgress(byteCount: self.position, total: file.size))
            return piece
        }
    }

    /// Whether another program has written to it since it was opened: then the pieces may be of different contents.
    private var hasChanged: Bool {
        var status = stat()
        return fstat(descriptor.number, &status) != 0 || FileStamp(status) != stamp
    }

    private func read(at position: UInt64) throws -> [UInt8]? {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { buffer, initialized in
                count = pread(descriptor.number, buffer.baseAddress, buffer.count, off_t(clamping: position))
                initialized = Swift.max(count, 0)
            }
            if count > 0 { return bytes }
            if count == 0 { return nil }
            if errno != EINTR { throw KairanError.unreadable(path, errno) }
        }
    }
}

/// The size of a file and the time of its last change, one of which another program changes by writing to it.
private struct FileStamp: Hashable, Sendable {
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    init(_ status: stat) {
        size = Int64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }
}

/// An open file, closed when it is used no more.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

extension KairanError {
    /// A file that cannot be read.
    static func unreadable(_ path: String, _ number: Int32) -> KairanError {
        KairanError(
            .file,
            code: "file.unreadable",
            title: "The file cannot be read",
            detail: "\(path) cannot be read: \(String(cString: strerror(number))).",
            fix: "Check the path, and that you may read the file."
        )
    }

    /// A name that stands for something else than a file.
    static func noFile(_ path: String) -> KairanError {
        KairanError(
            .file,
            code: "file.unreadable",
            title: "The file cannot be read",
            detail: "\(path) is not a regular file.",
            fix: "Name a file; a folder has to be packed into one."
        )
    }

    /// A file that had another size when it was opened.
    static func changed(_ path: String) -> KairanError {
        KairanError(
            .file,
            code: "file.changed",
            title: "The file has changed",
            detail: "\(path) was changed while it was read.",
            fix: "Upload it again once the program that writes it has finished."
        )
    }

    /// A file that cannot be written.
    static func unwritable(_ path: String, _ number: Int32) -> KairanError {
        KairanError(
            .file,
            code: "file.unwritable",
            title: "The file cannot be written",
            detail: "\(path) cannot be written: \(String(cString: strerror(number))).",
            fix: "Name a file in a folder that you may write to and where there is space."
        )
    }
}
