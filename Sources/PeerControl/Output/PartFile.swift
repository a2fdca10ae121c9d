import Glibc

/// A file that is written under another name, and gets its own when it is complete: until then, an earlier file of
/// this name stays.
final class PartFile {
    private let path: String
    private let partPath: String
    private let descriptor: Int32
    private var isFinished = false

    /// Begins a file.
    /// - Parameter path: The final path; `.part` is added until then.
    /// - Throws: ``InputError`` for a name that cannot be used, or that another program is writing to, ``OutputError`` for
    ///   every other failure.
    init(path: String) throws {
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw InputError(
                detail: "\(path) exists and is not a file that can be replaced.",
                fix: "Name another one, or redirect the standard output to it."
            )
        }
        self.path = path
        partPath = path + ".part"
        descriptor = try Self.open(partPath)
    }

    deinit {
        // While it is locked: afterwards the file of this name may be another program's.
        if !isFinished { unlink(partPath) }
        close(descriptor)
    }

    /// Opens the file under its other name, and locks it: two programs that write into one file would both take it for complete.
    private static func open(_ path: String) throws -> Int32 {
        while true {
            let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard descriptor >= 0 else { throw failure(path, errno) }
            do {
                // A file system without locks refuses for another reason.
                if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                    throw InputError(
                        detail: "\(path) is being written by another program.",
                        fix: "Wait until that has ended, or name another file."
                    )
                }
                // The program that had the lock may have renamed its file, or removed it.
                if isStill(path, descriptor) {
                    guard ftruncate(descriptor, 0) == 0 else { throw failure(path, errno) }
                    return descriptor
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    /// Whether an open file has a name.
    private static func isStill(_ path: String, _ descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev
            && opened.st_ino == named.st_ino
    }

    /// Adds bytes.
    /// - Throws: ``OutputError``; ``InputError`` when the name cannot be used any more.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Self.failure(partPath, errno)
            }
        }
    }

    /// Gives the file its name, once all of it is on the disk.
    /// - Throws: ``OutputError``; ``InputError`` when the name cannot be used any more.
    func finish() throws {
        guard fsync(descriptor) == 0 else { throw Self.failure(partPath, errno) }
        guard rename(partPath, path) == 0 else { throw Self.failure(path, errno) }
        isFinished = true
    }

    private static func failure(_ path: String, _ number: Int32) -> any Error {
        OutputError.failure(
            path,
            number,
            fix: "Name a file in a folder that you may write to and where there is space."
        )
    }
}
