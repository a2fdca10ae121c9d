import Glibc
import Sync

/// The few calls to the operating system that the store makes by itself; SQLite does all others.
enum FileSystem {
    /// Whether something has this name; links are followed.
    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Whether something has this name, a link that leads nowhere included.
    static func hasName(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The size of a file in bytes; 0 when there is none.
    static func byteCount(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Makes a directory with mode 0700 unless it exists.
    /// - Returns: Whether it was made.
    /// - Throws: The error of the system.
    @discardableResult
    static func makeDirectory(_ path: String) throws(StorageError) -> Bool {
        guard mkdir(path, 0o700) != 0 else { return true }
        let code = errno
        if code == ENOENT {
            // More than one level is a mistyped path, or something that is not mounted.
            let words = "the directory above it is not there; make it, mount it, or correct the path"
            throw StorageError(code: .inaccessible, message: "cannot make directory \(path): \(words)")
        }
        guard code == EEXIST else { throw failure("cannot make directory \(path)", code) }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw StorageError(code: .inaccessible, message: "\(path) is not a directory")
        }
        return false
    }

    /// Makes an empty file with mode 0600 unless it exists, so that SQLite, which gives its companions the mode of
    /// the database, never makes one that others can read.
    ///
    /// Must not be called while SQLite has the file open: closing any descriptor of it would drop SQLite's locks.
    /// - Throws: The error of the system.
    static func makeFile(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("cannot open \(path)", errno) }
        close(descriptor)
    }

    /// Removes a file and makes the removal durable; a file that is not there is fine.
    /// - Throws: The error of the system.
    static func remove(_ path: String, in directory: String) throws(StorageError) {
        guard unlink(path) == 0 else {
            let code = errno
            guard code != ENOENT else { return }
            throw failure("cannot remove \(path)", code)
        }
        try synchronize(directory)
    }

    /// Makes the names in a directory durable.
    /// - Throws: The error of the system.
    static func synchronize(_ directory: String) throws(StorageError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot open \(directory)", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("cannot sync \(directory)", errno) }
    }

    /// Translates the error of a system call for the layers above.
    static func failure(_ action: String, _ code: Int32) -> StorageError {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT: return StorageError(code: .diskFull, message: "\(action): \(reason)")
        case EACCES, EPERM, EROFS, ENOTDIR, ELOOP, ENAMETOOLONG:
            return StorageError(code: .inaccessible, message: "\(action): \(reason)")
        default: return StorageError(code: .inputOutput, message: "\(action): \(reason)")
        }
    }
}
