import Glibc

/// Why the local socket cannot be opened.
package enum SocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path is empty, too long for a Unix socket, or has a zero byte.
    case unfitPath(String, byteCountMax: Int)
    /// Something that is not a socket is at the path; it is left alone.
    case notASocket(String)
    /// Another process listens on the path.
    case inUse(String)
    /// The inherited descriptor is not a listening Unix stream socket.
    case notListening(Int32)
    /// A call of the system failed with this error number.
    case system(StaticString, Int32)

    /// The error, in words for people.
    package var description: String {
        switch self {
        case .unfitPath(let path, let maximum):
            "The socket path \"\(path)\" cannot be used: it needs 1 to \(maximum) bytes."
        case .notASocket(let path): "\(path) exists and is not a socket; it was left alone."
        case .inUse(let path): "Another process answers on \(path)."
        case .notListening(let descriptor): "Descriptor \(descriptor) is not a listening Unix socket."
        case .system(let call, let number): "\(call) failed: \(String(cString: strerror(number)))."
        }
    }

    /// Whether the configuration names something that can never be a socket; everything else may pass by itself.
    package var isSetting: Bool {
        switch self {
        case .unfitPath, .notASocket, .notListening: true
        case .inUse: false
        case .system(_, let number): [EACCES, ENOENT, ENOTDIR, EROFS, ELOOP, ENAMETOOLONG].contains(number)
        }
    }

    /// Whether both are the same error.
    package static func == (left: SocketError, right: SocketError) -> Bool {
        left.description == right.description
    }

    /// Feeds the description.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(description)
    }
}
