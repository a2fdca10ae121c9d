package import KairanInterface

/// The reason why something of the folder is not imported.
package enum Obstacle: Error, Sendable, Hashable {
    /// The consequence for the import as a whole.
    package enum Standing: Sendable, Hashable {
        /// Records do not describe such things: the import is complete without them.
        case leftOut
        /// Another attempt may succeed.
        case temporary
        /// A person has to act first.
        case lasting
    }

    /// A symbolic link.
    case symbolicLink
    /// A device, a pipe or a socket.
    case special
    /// A folder on another file system.
    case otherFileSystem
    /// A name that is not UTF-8, or a path that is too long.
    case badName
    /// A file or a folder that the system does not let this user read.
    case unreadable(reason: String)
    /// A file that another program changed or removed while it was read.
    case changed
    /// A file that is older than the one that its record describes: the time of that one, in milliseconds since 1970.
    case older(than: Int64)
    /// A record with concurrent values.
    case conflict
    /// A record of the same name that describes no file of this path.
    case nameTaken
    /// An upload or a write that the daemon refused.
    case refused(code: String, detail: String, isRetryable: Bool)

    /// The consequence.
    package var standing: Standing {
        switch self {
        case .symbolicLink, .special, .otherFileSystem: .leftOut
        case .changed: .temporary
        case .refused(_, _, let isRetryable): isRetryable ? .temporary : .lasting
        case .badName, .unreadable, .older, .conflict, .nameTaken: .lasting
        }
    }

    /// The stable code, for programs.
    package var code: String {
        switch self {
        case .symbolicLink: "file.link"
        case .special: "file.special"
        case .otherFileSystem: "file.other_system"
        case .badName: "file.name"
        case .unreadable: "file.unreadable"
        case .changed: "file.changed"
        case .older: "file.older"
        case .conflict: "record.conflict"
        case .nameTaken: "record.other"
        case .refused(let code, _, _): code
        }
    }

    /// The refusal of a request.
    /// - Parameters:
    ///   - problem: The daemon's answer.
    ///   - isRetryable: Whether another attempt may succeed.
    /// - Returns: The obstacle.
    package static func refused(_ problem: Problem, isRetryable: Bool) -> Obstacle {
        .refused(code: problem.code, detail: problem.detail, isRetryable: isRetryable)
    }
}

extension Obstacle: CustomStringConvertible {
    /// The reason and the remedy, as sentences.
    package var description: String {
        switch self {
        case .symbolicLink: "It is a symbolic link."
        case .special: "It is neither a file nor a folder."
        case .otherFileSystem: "It is on another file system; --cross imports it too."
        case .badName: "Its name is not UTF-8, or its path is too long. Rename it."
        case .unreadable(let reason): "It cannot be read: \(reason)."
        case .changed: "It was changed while it was read. Import it again once the program that writes it has finished."
        case .older(let time):
            "Its record describes a newer file (\(RFC3339.text(milliseconds: time))). Touch the file to replace that one."
        case .conflict: "Its record has concurrent values. Resolve them: kairan conflicts."
        case .nameTaken: "The zone has another record of this name."
        case .refused(_, let detail, _): detail
        }
    }
}
