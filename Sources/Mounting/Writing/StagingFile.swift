internal import CFUSE
internal import Crypto
internal import Dispatch
internal import FileRecords
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The bytes of a file that is written: a file without a name, which goes with this object.
final class StagingFile: Sendable {
    /// The bytes of the disk that staging files leave free.
    static let reserveByteCount: UInt64 = 64 << 20
    /// The number of bytes of a piece that is uploaded.
    static let pieceByteCount = 256 << 10

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "kairan.mount.staging")

    /// Makes an empty one.
    /// - Parameter folder: The path of the folder on whose file system it is.
    /// - Throws: ``WriteFault``.
    init(in folder: String) throws(WriteFault) {
        let made = unsafe kairan_open_unnamed(folder)
        guard made >= 0 else { throw WriteFault(-made) }
        descriptor = made
    }

    deinit { close(descriptor) }

    /// Writes bytes.
    /// - Throws: ``WriteFault``: `ENOSPC` also where the rest of the disk is to stay free.
    func write(_ bytes: [UInt8], at offset: UInt64) throws(WriteFault) {
        try checkSpace(for: UInt64(bytes.count))
        var done = 0
        while done < bytes.count {
            let place = off_t(clamping: offset + UInt64(done))
            let count = unsafe bytes[done...].withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, place)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw WriteFault(count < 0 ? errno : EIO) }
            done += count
        }
    }

    /// Reads bytes: fewer than wanted at the end of the file alone.
    /// - Throws: ``WriteFault``.
    func read(at offset: UInt64, count: Int) throws(WriteFault) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let wanted = count - bytes.count
            var part = [UInt8](repeating: 0, count: wanted)
            let found = unsafe pread(descriptor, &part, wanted, off_t(clamping: offset + UInt64(bytes.count)))
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { throw WriteFault(errno) }
            if found == 0 { break }
            bytes += part.prefix(found)
        }
        return bytes
    }

    /// Reads bytes on a thread that may block.
    /// - Throws: ``WriteFault``.
    func piece(at offset: UInt64, count: Int) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try read(at: offset, count: count) }) }
        }
    }

    /// Cuts the file off, or extends it by zeros.
    /// - Throws: ``WriteFault``.
    func resize(to byteCount: UInt64) throws(WriteFault) {
        guard ftruncate(descriptor, off_t(clamping: byteCount)) == 0 else { throw WriteFault(errno) }
    }

    /// Gives the bytes a name in a folder, so that they stay; they are on the disk then.
    /// - Parameters:
    ///   - name: The name; a number is added where the folder has it.
    ///   - folder: The path of the folder, on the same file system.
    /// - Returns: The path.
    /// - Throws: ``WriteFault``.
    func keep(as name: String, in folder: String) throws(WriteFault) -> String {
        guard fsync(descriptor) == 0 else { throw WriteFault(errno) }
        for number in 1...1_000 {
            let path = folder + "/" + name + (number > 1 ? " \(number)" : "")
            let code = unsafe kairan_name_file(descriptor, path)
            switch code {
            case 0:
                Self.synchronize(folder)
                return path
            case EEXIST: continue
            // The file system has no files without a name.
            default:
                guard try copy(to: path) else { continue }
                Self.synchronize(folder)
                return path
            }
        }
        throw WriteFault(EEXIST)
    }

    /// Has the names of a folder be on the disk, as far as its file system does that.
    private static func synchronize(_ folder: String) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Where it fails, the file has its name all the same until the machine fails too.
        _ = fsync(descriptor)
        close(descriptor)
    }

    /// Copies the bytes to a new file.
    /// - Returns: Whether the path was free.
    private func copy(to path: String) throws(WriteFault) -> Bool {
        let target = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if target < 0, errno == EEXIST { return false }
        guard target >= 0 else { throw WriteFault(errno) }
        defer { close(target) }
        var offset: UInt64 = 0
        while true {
            let bytes = try read(at: offset, count: Self.pieceByteCount)
            if bytes.isEmpty { break }
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(target, $0.baseAddress, $0.count) }
            guard count == bytes.count else { throw WriteFault(count < 0 ? errno : ENOSPC) }
            offset += UInt64(count)
        }
        guard fsync(target) == 0 else { throw WriteFault(errno) }
        return true
    }

    private func checkSpace(for byteCount: UInt64) throws(WriteFault) {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { throw WriteFault(errno) }
        let (free, isLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard isLarge || free >= Self.reserveByteCount + byteCount else { throw WriteFault(ENOSPC) }
    }
}

/// The bytes of a staging file that are uploaded, with the digest of those that were sent.
struct StagedBytes: AsyncSequence, Sendable {
    /// A piece, never empty.
    typealias Element = [UInt8]

    private final class State: Sendable {
        let hash = Mutex(SHA256())
    }

    private let file: StagingFile
    private let byteCount: UInt64
    private let state = State()

    /// Takes the beginning of a file.
    init(_ file: StagingFile, byteCount: UInt64) { (self.file, self.byteCount) = (file, byteCount) }

    /// The digest of the bytes that were read so far.
    var digest: FileDigest { state.hash.withLock { FileDigest($0.finalize()) } }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator { Iterator(bytes: self) }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let bytes: StagedBytes
        private var offset: UInt64 = 0

        fileprivate init(bytes: StagedBytes) { self.bytes = bytes }

        /// The next piece; `nil` at the end.
        /// - Throws: ``WriteFault``: `EAGAIN` where the file was cut off meanwhile.
        mutating func next() async throws -> [UInt8]? {
            let left = bytes.byteCount - offset
            guard left > 0 else { return nil }
            let count = Int(Swift.min(left, UInt64(StagingFile.pieceByteCount)))
            let piece = try await bytes.file.piece(at: offset, count: count)
            guard piece.count == count else { throw WriteFault(EAGAIN) }
            bytes.state.hash.withLock { hash in hash.update(data: piece) }
            offset += UInt64(count)
            return piece
        }
    }
}

/// The folder of a user in which written files lie until the zone has them.
struct StagingFolder: Sendable, Hashable {
    /// Its path, `$XDG_STATE_HOME/kairan/mount`.
    let path: String

    /// The path of the folder for files that could not be stored.
    var unsaved: String { path + "/unsaved" }

    /// Names the folder of the environment.
    init(_ environment: [String: String]) {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let state = absolute("XDG_STATE_HOME") ?? (absolute("HOME") ?? "/root") + "/.local/state"
        path = state + "/kairan/mount"
    }

    /// Names a folder.
    init(path: String) { self.path = path }

    /// Makes the folder, and the one for files that could not be stored; other users may not look into them.
    /// - Throws: ``WriteFault``.
    func make() throws(WriteFault) {
        do {
            try FileManager.default.createDirectory(atPath: unsaved, withIntermediateDirectories: true)
        } catch {
            throw WriteFault(EACCES)
        }
        for folder in [path, unsaved] {
            guard unsafe chmod(folder, 0o700) == 0 else { throw WriteFault(errno) }
        }
    }

    /// The number of files that could not be stored and that nobody has taken away.
    var unsavedCount: Int {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: unsaved).count
        } catch {
            return 0
        }
    }

    /// The bytes that written files may take on the disk.
    var freeByteCount: UInt64 {
        var status = Glibc.statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return 0 }
        let (free, isLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isLarge ? .max : free - min(free, StagingFile.reserveByteCount)
    }

    /// The name for a file that could not be stored.
    /// - Parameters:
    ///   - file: Its path in the zone.
    ///   - time: The time, in milliseconds since 1970.
    /// - Returns: The name: the time, and the path with `_` for each slash.
    static func name(of file: FilePath, at time: Int64) -> String {
        let plain = file.text.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        let text = String(decoding: plain, as: UTF8.self).limited(toByteCount: 200)
        return ConflictName.word(milliseconds: time) + " " + text
    }
}
