import Glibc

/// A small file that only the owner may read, replaced as a whole or not at all.
///
/// The new content is written beside the old, flushed, and renamed over it; after a power cut the file holds either the
/// old or the new content. Files are made with mode 0600 from the first moment, whatever the umask is.
package struct PrivateFile: Sendable {
    /// Why a file could not be read or written.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// Which file.
        package var path: String
        /// What was tried.
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

    /// Where it is.
    package let path: String

    /// Names a file; nothing is touched.
    package init(path: String) {
        self.path = path
    }

    /// What the system says of a file.
    package struct Facts: Sendable {
        /// Whether it is a file, and no directory, link or pipe.
        package var isRegular: Bool
        /// Whether somebody beside owner and group may do anything with it.
        package var isOpenToOthers: Bool
    }

    /// What the system says of the file; a link is not followed.
    /// - Throws: `Failure`.
    package func facts() throws(Failure) -> Facts {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure("look at") }
        return Facts(isRegular: status.st_mode & S_IFMT == S_IFREG, isOpenToOthers: status.st_mode & 0o007 != 0)
    }

    /// The names of what is in a directory, in no order; empty when there is no such directory.
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
    /// - Throws: `Failure`; then the old content stands, or the new one, but nothing in between.
    package func replace(_ bytes: [UInt8], isDurable: Bool = true) throws(Failure) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("create") }
        do throws(Failure) {
            defer { close(descriptor) }
            guard fchmod(descriptor, 0o600) == 0 else { throw failure("chmod") }
            var offset = 0
            while offset < bytes.count {
                let count = bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
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

    private func syncDirectory() throws(Failure) {
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
