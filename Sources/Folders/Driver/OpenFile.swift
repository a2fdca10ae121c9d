import CFiles
import Dispatch
import Glibc

/// An open file or folder, closed when it is used no more.
final class OpenFile: Sendable {
    /// The descriptor.
    let number: Int32

    /// Takes a descriptor over.
    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

extension OpenFile {
    /// Opens a file or folder beneath this folder; no link is followed.
    /// - Parameters:
    ///   - path: The path, relative to this folder.
    ///   - flags: As `open` takes them.
    ///   - mode: The mode of a file that is made.
    /// - Returns: The file.
    /// - Throws: ``FileFault``.
    func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(FileFault) -> OpenFile {
        let descriptor = kairan_open_beneath(number, path, flags, mode)
        guard descriptor >= 0 else { throw FileFault(name: path, number: errno) }
        return OpenFile(descriptor)
    }

    /// The state of the file.
    /// - Parameter name: The file, for the error.
    /// - Returns: The state.
    /// - Throws: ``FileFault``.
    func status(_ name: String) throws(FileFault) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw FileFault(name: name, number: errno) }
        return status
    }

    /// The state of an entry of this folder; `nil` where there is none.
    /// - Throws: ``FileFault``.
    func status(of name: String) throws(FileFault) -> stat? {
        var status = stat()
        if fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        guard errno == ENOENT else { throw FileFault(name: name, number: errno) }
        return nil
    }

    /// Waits until the file or folder is on the disk.
    /// - Throws: ``FileFault``.
    func synchronize(_ name: String) throws(FileFault) {
        guard fsync(number) == 0 else { throw FileFault(name: name, number: errno) }
    }

    /// Writes all bytes.
    /// - Throws: ``FileFault``.
    func write(_ bytes: [UInt8], _ name: String) throws(FileFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw FileFault(name: name, number: count == 0 ? EIO : errno)
            }
        }
    }

    /// Reads a piece; an empty one at the end.
    /// - Parameters:
    ///   - offset: The position of the first byte.
    ///   - byteCount: The most bytes to read.
    ///   - name: The file, for the error.
    /// - Returns: The bytes.
    /// - Throws: ``FileFault``.
    func read(at offset: UInt64, byteCount: Int, _ name: String) throws(FileFault) -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
                count = pread(number, buffer.baseAddress, buffer.count, off_t(clamping: offset))
                initialized = max(count, 0)
            }
            if count >= 0 { return bytes }
            if errno != EINTR { throw FileFault(name: name, number: errno) }
        }
    }

    /// Reads all of a small file.
    /// - Parameters:
    ///   - limit: The most bytes that it may have.
    ///   - name: The file, for the error.
    /// - Returns: The bytes.
    /// - Throws: ``FileFault``.
    func readAll(limit: Int, _ name: String) throws(FileFault) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try read(at: UInt64(bytes.count), byteCount: 65_536, name)
            if piece.isEmpty { return bytes }
            bytes += piece
            guard bytes.count <= limit else { throw FileFault(name: name, number: EFBIG) }
        }
    }
}

extension FileIdentity {
    /// The marks of a state.
    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: UInt64(clamping: status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
            changed: Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec),
            isExecutable: status.st_mode & S_IXUSR != 0
        )
    }
}

extension stat {
    var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}

/// Work that blocks for as long as a disk takes, on threads of its own.
enum Disk {
    private static let queue = DispatchQueue(label: "kairan.folder", attributes: .concurrent)

    /// Does blocking work.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
