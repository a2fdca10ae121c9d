import Dispatch
import Glibc

/// A file or the standard input, piece by piece.
///
/// Reading may block for as long as the writer at the other end thinks, so it is done on a thread of its own.
struct InputChunks: AsyncSequence, Sendable {
    /// A piece, never empty.
    typealias Element = [UInt8]

    private let descriptor: Int32
    private let name: String
    private let queue = DispatchQueue(label: "kairan.input")
    private static let chunkByteCount = 256 << 10

    /// Opens a file.
    /// - Parameter path: Its path; `nil` or `-` for the standard input.
    /// - Throws: ``InputError``.
    init(path: String?) throws {
        guard let path, path != "-" else {
            descriptor = STDIN_FILENO
            name = "standard input"
            return
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        name = path
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
    }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator {
        Iterator(input: self)
    }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let input: InputChunks

        /// The next piece; `nil` at the end.
        /// - Throws: ``InputError``.
        mutating func next() async throws -> [UInt8]? {
            let input = input
            return try await withCheckedThrowingContinuation { continuation in
                input.queue.async { continuation.resume(with: Result { try input.read() }) }
            }
        }
    }

    /// Reads everything.
    /// - Parameter limit: The most that makes sense.
    /// - Returns: All bytes.
    /// - Throws: ``InputError``.
    func collect(limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in self {
            bytes += chunk
            guard bytes.count <= limit else {
                throw InputError(
                    detail: "\(name) has more than \(limit) bytes.",
                    fix: "For many records use kairan import."
                )
            }
        }
        return bytes
    }

    /// Reads the beginning; a later iteration yields the rest.
    /// - Parameter byteCount: The number of bytes to read.
    /// - Returns: At least this number of bytes, or all if there are fewer.
    /// - Throws: ``InputError``.
    func beginning(byteCount: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var pieces = makeAsyncIterator()
        while bytes.count < byteCount, let piece = try await pieces.next() { bytes += piece }
        return bytes
    }

    /// The number of bytes from here to the end; `nil` if unknown, as for a pipe.
    var restByteCount: Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Swift.max(0, Int(status.st_size) - Swift.max(0, Int(lseek(descriptor, 0, SEEK_CUR))))
    }

    /// The time of the last change of a file, in milliseconds since 1970; `nil` if unknown, as for a pipe.
    var modifiedMilliseconds: Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    }

    /// The name of the input in messages.
    var title: String { name }

    private func read() throws -> [UInt8]? {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { buffer, initialized in
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                initialized = count > 0 ? count : 0
            }
            if count > 0 { return bytes }
            if count == 0 { return nil }
            if errno != EINTR { throw Self.failure(name, errno) }
        }
    }

    private static func failure(_ name: String, _ number: Int32) -> InputError {
        InputError(detail: "\(name) cannot be read: \(String(cString: strerror(number))).", fix: "Check the path.")
    }
}
