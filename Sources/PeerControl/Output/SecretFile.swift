import Glibc

/// A new file for a secret, readable only by its owner.
enum SecretFile {
    /// Writes a file that does not exist yet.
    /// - Parameters:
    ///   - text: The content of the file.
    ///   - path: The path of the file.
    /// - Throws: ``InputError`` for a name that cannot be used, ``OutputError`` for every other failure; no part of
    ///   the secret is left on disk in that case.
    static func create(_ text: String, at path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                let number = errno
                unlink(path)
                throw failure(path, number)
            }
        }
    }

    private static func failure(_ path: String, _ number: Int32) -> any Error {
        OutputError.failure(
            path,
            number,
            fix: "Name a file that does not exist yet, in a folder that you may write to."
        )
    }
}
