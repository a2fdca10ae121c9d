import Glibc
import Sodium

/// A small file that only the owner may read, replaced as a whole or not at all.
///
/// The new content is written beside the old, flushed, and renamed over it; after a power cut the file holds either the
/// old or the new content. Files are made with mode 0600 from the first moment, whatever the umask is.
package struct PrivateFile: Sendable {
    /// Why a file could not be read or written.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The path of the file.
        package var path: String
        /// The operation that failed.
        package var operation: String
        /// The system's error number.
        package var errorNumber: Int32

        /// Whether it failed for want of space.
        var isDiskFull: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }

        /// Path, operation and the system's words.
        package var description: String {
            "\(operation) \(path): \(String(cString: strerror(errorNumber)))"
        }
    }

    /// The largest file that is read unless more is allowed: almost all files of this kind are far smaller.
    package static let byteCountMax = 1 << 20

    /// The suffix of the name of a file that is being written; a crash may leave it.
    static let temporarySuffix = ".new"

    /// The path of the file.
    package let path: String

    /// Names a file; nothing is touched.
    package init(path: String) {
        self.path = path
    }

    /// The system's facts about a file.
    package struct Facts: Sendable {
        /// Whether it is a file, and no directory, link or pipe.
        package var isRegular: Bool
        /// Whether users other than owner and group have any permission.
        package var isOpenToOthers: Bool
        /// Whether users other than the owner have any permission.
        package var isOpenToGroupOrOthers: Bool
        /// The owner's number.
        package var owner: UInt32
    }

    /// Returns the system's facts about the file; a link is not followed.
    /// - Throws: `Failure`.
    package func facts() throws(Failure) -> Facts {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure("look at") }
        return Facts(
            isRegular: status.st_mode & S_IFMT == S_IFREG,
            isOpenToOthers: status.st_mode & 0o007 != 0,
            isOpenToGroupOrOthers: status.st_mode & 0o077 != 0,
            owner: status.st_uid
        )
    }

    /// Whether a file of this name exists; a link is not followed.
    /// - Throws: `Failure` when the system does not say.
    package func exists() throws(Failure) -> Bool {
        var status = stat()
        guard lstat(path, &status) != 0 else { return true }
        guard errno == ENOENT else { throw failure("look at") }
        return false
    }

    /// Removes the file, durably; without effect when there is none.
    /// - Throws: `Failure`.
    package func remove() throws(Failure) {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw failure("remove")
        }
        try syncDirectory()
    }

    /// Returns the names of the entries of a directory, in no order; empty when there is no such directory.
    /// - Throws: `Failure`.
    static func names(in path: String) throws(Failure) -> [String] {
        guard let directory = opendir(path) else {
            if errno == ENOENT { return [] }
            throw Failure(path: path, operation: "list", errorNumber: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
            )
        }
        return names
    }

    /// The whole content.
    /// - Parameter limit: How many bytes it may have.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: `Failure` for any other reason, also when it is larger.
    package func read(limit: Int = PrivateFile.byteCountMax) throws(Failure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        // It may be a secret: memory that is moved while it grows, or given back as it is, would leave copies behind.
        defer { ConstantTime.wipe(&chunk) }
        bytes.reserveCapacity(min(limit, Self.byteCount(descriptor)) + 1)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("read")
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                errno = EFBIG
                throw failure("read")
            }
        }
    }

    /// Replaces the content.
    /// - Parameters:
    ///   - bytes: The new content.
    ///   - isDurable: Whether to flush it and its directory before returning.
    ///   - erasesOld: Whether to write zeros over the old content once the new one is durable. A file system that writes
    ///     elsewhere, or a disk that does, keeps it all the same.
    /// - Throws: `Failure`; then the old content is there, or the new one, but nothing in between.
    package func replace(_ bytes: [UInt8], isDurable: Bool = true, erasesOld: Bool = false) throws(Failure) {
        let old = erasesOld ? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1
        defer { if old >= 0 { close(old) } }
        try write(bytes, isDurable: isDurable)
        if old >= 0 { try erase(old) }
    }

    /// Writes zeros over the content and removes the file; without effect when there is none.
    /// - Throws: `Failure`.
    func erase() throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw failure("open")
        }
        defer { close(descriptor) }
        try erase(descriptor)
        guard unlink(path) == 0 else { throw failure("remove") }
        try syncDirectory()
    }

    private func erase(_ descriptor: Int32) throws(Failure) {
        var rest = Self.byteCount(descriptor)
        let zeros = [UInt8](repeating: 0, count: 4_096)
        lseek(descriptor, 0, SEEK_SET)
        while rest > 0 {
            let count = Glibc.write(descriptor, zeros, min(rest, zeros.count))
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("erase the old content of")
            }
            rest -= count
        }
        guard fsync(descriptor) == 0 else { throw failure("erase the old content of") }
    }

    /// The size of an open file; 0 when the system does not say.
    private static func byteCount(_ descriptor: Int32) -> Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? max(0, Int(status.st_size)) : 0
    }

    private func write(_ bytes: [UInt8], isDurable: Bool) throws(Failure) {
        let temporary = path + Self.temporarySuffix
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("create") }
        do throws(Failure) {
            defer { close(descriptor) }
            guard fchmod(descriptor, 0o600) == 0 else { throw failure("chmod") }
            var offset = 0
            while offset < bytes.count {
                let count = bytes[offset...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0 {
                    if errno == EINTR { continue }
                    throw failure("write")
                }
                offset += count
            }
            if isDurable, fsync(descriptor) != 0 { throw failure("fsync") }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else {
            let failure = failure("rename")
            unlink(temporary)
            throw failure
        }
        if isDurable { try syncDirectory() }
    }

    /// Makes the name durable.
    func syncDirectory() throws(Failure) {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open directory of") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("fsync directory of") }
    }

    private func failure(_ operation: String) -> Failure {
        Failure(path: path, operation: operation, errorNumber: errno)
    }
}
