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
    /// - Throws: ``InputError`` for a name that cannot be used, ``OutputError`` for every other failure.
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
        descriptor = open(partPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw Self.failure(partPath, errno) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(partPath) }
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
