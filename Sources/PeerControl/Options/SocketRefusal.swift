import Glibc
import KairanClient

/// The error for a socket that this user may not use, with the way to get access.
struct SocketRefusal: Error {
    /// The socket.
    var path: String
    /// The group whose members may use the socket; `nil` if only the owner may.
    var group: String?
    /// The name of the user who runs the command, or its number if it has no name.
    var user: String

    /// The refusal as a problem document.
    var problem: Problem {
        let fix =
            group.map { "Run `sudo usermod --append --groups \($0) \(user)`, then log in again." }
            ?? "Run it as the daemon's user, or use a daemon of your own: name its socket with --socket."
        return Problem(
            type: "https://kairan.invalid/problems/daemon.forbidden",
            title: "The socket may not be used",
            status: 0,
            code: "daemon.forbidden",
            detail: "\(user) may not use \(path)\(group.map { ": only members of the group \($0) may" } ?? "").",
            fix: fix,
            isRetryable: false
        )
    }
}

extension SocketRefusal {
    /// Determines why a socket cannot be used; `nil` unless its rights, or those of a directory above it, are the
    /// reason.
    /// - Parameter path: The socket that did not answer.
    init?(path: String) {
        guard access(path, R_OK | W_OK) != 0, errno == EACCES else { return nil }
        self.path = path
        let number = getuid()
        user = getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? "\(number)"
        var status = stat()
        var place = path
        // A directory on the way that may not be searched hides all below it: then its own group is decisive.
        while stat(place, &status) != 0, let slash = place.lastIndex(of: "/"), slash > place.startIndex {
            place = String(place[..<slash])
        }
        let right: mode_t = status.st_mode & S_IFMT == S_IFDIR ? S_IXGRP : S_IWGRP
        // Root's group is no group of people.
        guard status.st_mode & right != 0, status.st_gid != 0, let entry = getgrgid(status.st_gid) else { return }
        group = String(cString: entry.pointee.gr_name)
    }
}

extension SocketRefusal: CustomStringConvertible {
    /// The reason.
    var description: String { "\(user) may not use \(path)" }
}
