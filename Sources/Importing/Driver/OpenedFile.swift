import Crypto
import FileRecords
import Glibc

/// The facts of the system about a file, one of which changes whenever another program writes to it.
struct FileStamp: Sendable, Hashable {
    let size: UInt64
    let modifiedMilliseconds: Int64
    let isExecutable: Bool
    private let times: [Int64]
    private let place: [UInt64]

    init(_ status: stat) {
        size = UInt64(clamping: status.st_size)
        modifiedMilliseconds = Self.milliseconds(status.st_mtim)
        isExecutable = status.st_mode & S_IXUSR != 0
        times = [status.st_mtim, status.st_ctim].flatMap { [Int64($0.tv_sec), Int64($0.tv_nsec)] }
        place = [UInt64(status.st_dev), UInt64(status.st_ino)]
    }

    /// The device and the number of the file, which no other file has while this one is open.
    var identity: String { "\(place[0]):\(place[1])" }

    /// The pause after which a further change of a file has another time than the last one.
    ///
    /// The kernel takes the times of files from a clock that moves on at each of its ticks, which are at most 10 milliseconds apart. Two changes
    /// within one of them have the same stamp: one that comes while the file is read would go unnoticed, now and in later imports.
    /// - Parameter change: The time of the last change (`st_ctim`).
    /// - Returns: Milliseconds; `nil` where no pause is needed.
    static func pause(behind change: timespec) -> Int32? {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let (seconds, overflows) = Int64(now.tv_sec).subtractingReportingOverflow(Int64(change.tv_sec))
        guard !overflows, (-1...1).contains(seconds) else { return nil }
        let passed = seconds * 1_000 + (Int64(now.tv_nsec) - Int64(change.tv_nsec)) / 1_000_000
        // The clock of another machine may be a little ahead, or this one was set.
        guard (-tickMilliseconds..<tickMilliseconds).contains(passed) else { return nil }
        return Int32(tickMilliseconds - passed)
    }

    /// Two ticks of a kernel with the slowest ones.
    private static let tickMilliseconds: Int64 = 20

    /// Milliseconds since 1970, saturating.
    private static func milliseconds(_ time: timespec) -> Int64 {
        let (seconds, overflows) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000)
        guard !overflows else { return time.tv_sec < 0 ? .min : .max }
        let (sum, exceeds) = seconds.addingReportingOverflow(Int64(time.tv_nsec) / 1_000_000)
        return exceeds ? .max : sum
    }
}

/// A file that is open for reading.
final class OpenedFile: Sendable {
    /// The bytes that are read at a time.
    static let pieceByteCount = 256 << 10

    /// The file when it was opened.
    let stamp: FileStamp
    private let descriptor: Descriptor

    /// Opens a regular file, and waits a moment where it has changed a moment ago.
    /// - Throws: ``Obstacle``.
    init(_ path: FilePath, in folder: ImportedFolder) throws(Obstacle) {
        descriptor = try folder.open(file: path)
        var status = try Self.status(of: descriptor)
        guard status.st_mode & S_IFMT == S_IFREG else { throw .changed }
        if let pause = FileStamp.pause(behind: status.st_ctim) {
            poll(nil, 0, pause)
            status = try Self.status(of: descriptor)
        }
        stamp = FileStamp(status)
    }

    private static func status(of descriptor: Descriptor) throws(Obstacle) -> stat {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else {
            throw .unreadable(reason: ImportedFolder.text(errno))
        }
        return status
    }

    /// The path at which the system finds it now, and for a removed file a path of none; `nil` where it is not UTF-8.
    var path: String? {
        var text = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/fd/\(descriptor.number)", &text, text.count)
        guard (1..<text.count).contains(count) else { return nil }
        return String(validating: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether another program has written to it since it was opened.
    var hasChanged: Bool {
        var status = stat()
        return fstat(descriptor.number, &status) != 0 || FileStamp(status) != stamp
    }

    /// Reads all of it.
    /// - Throws: ``Obstacle``.
    func readAll() throws(Obstacle) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(clamping: stamp.size))
        while let piece = try read(at: UInt64(bytes.count)) {
            bytes += piece
            guard UInt64(bytes.count) <= stamp.size else { throw .changed }
        }
        guard UInt64(bytes.count) == stamp.size else { throw .changed }
        return bytes
    }

    /// Computes the digest of all of it.
    /// - Parameter note: Called with the number of bytes so far.
    /// - Returns: The digest.
    /// - Throws: ``Obstacle``.
    func digest(_ note: (UInt64) -> Void) throws(Obstacle) -> FileDigest {
        var hash = SHA256()
        var position: UInt64 = 0
        while let piece = try read(at: position) {
            piece.withUnsafeBytes { hash.update(bufferPointer: $0) }
            position += UInt64(piece.count)
            guard position <= stamp.size else { throw .changed }
            note(position)
        }
        guard position == stamp.size else { throw .changed }
        return FileDigest(hash.finalize())
    }

    /// Reads a piece.
    /// - Parameter position: Its first byte.
    /// - Returns: The bytes; `nil` at the end.
    /// - Throws: ``Obstacle``.
    func read(at position: UInt64) throws(Obstacle) -> [UInt8]? {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { buffer, initialized in
                count = pread(descriptor.number, buffer.baseAddress, buffer.count, off_t(clamping: position))
                initialized = max(count, 0)
            }
            if count > 0 { return bytes }
            if count == 0 { return nil }
            if errno != EINTR { throw .unreadable(reason: ImportedFolder.text(errno)) }
        }
    }
}

extension FileDigest {
    /// Computes the digest of bytes.
    init(of bytes: [UInt8]) {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        self.init(hash.finalize())
    }
}
