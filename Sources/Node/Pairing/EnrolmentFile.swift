import Glibc
import Identity

/// The file with an enrolment token that a person has put on this machine.
///
/// It belongs to root or to the daemon's user, and no other user may even read it: otherwise any local user could
/// bring the machine into an account of theirs, or other machines into this one.
package struct EnrolmentFile: Sendable {
    /// The reason why the file is not used.
    struct Unusable: Error, Sendable, Equatable {
        /// The fault, naming the file.
        var message: String
        /// The remedy.
        var fix: String
    }

    /// The limit on its size, far above a token with its groups.
    private static let byteCountMax = 1_024

    /// The path of the file.
    package let path: String

    /// Names a file; nothing is touched.
    package init(path: String) {
        self.path = path
    }

    /// The token.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: `Unusable`.
    func read() throws(Unusable) -> EnrolmentToken? {
        // A pipe without a writer must not hold the start up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot be opened", errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("cannot be examined", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Unusable(message: "\(path) is not a file.", fix: "Put the token there, or remove it.")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw Unusable(
                message: "\(path) belongs to another user (\(status.st_uid)).",
                fix: "Give it to root or to the daemon's user, if it is yours."
            )
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Unusable(
                message: "\(path) may be used by users other than its owner.",
                fix: "Make a new token, because this one may be known; keep it in a file with mode 0600."
            )
        }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw failure("cannot be read", errno) }
        do {
            return try EnrolmentToken(typed: String(decoding: bytes[..<count], as: UTF8.self))
        } catch {
            throw Unusable(message: "\(path) holds no enrolment token: \(error).", fix: "Copy the token again.")
        }
    }

    /// Removes the file.
    /// - Throws: `Unusable`.
    func remove() throws(Unusable) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw failure("cannot be removed", errno)
    }

    private func failure(_ what: String, _ number: Int32) -> Unusable {
        Unusable(
            message: "\(path) \(what): \(String(cString: strerror(number))).",
            fix: "The daemon's user must be able to read and remove it."
        )
    }
}

extension EnrolmentFile.Unusable: CustomStringConvertible {
    /// The reason and the fix.
    var description: String { "\(message) \(fix)" }
}
