/// Why storage refused or failed.
package struct StorageError: Error, Sendable, CustomStringConvertible {
    /// The kinds that the layers above distinguish.
    package enum Code: String, Sendable {
        /// No space left: writes are refused, reads go on, it recovers when there is space again.
        case diskFull = "disk_full"
        /// The device reported an I/O error.
        case inputOutput = "io_error"
        /// The system denies this program access to the files: by their permissions, or because the file system is
        /// read-only.
        case inaccessible
        /// The state directory is no longer the one that was opened: it was removed, moved away or replaced.
        case displaced
        /// The directory of the files of payloads is not the one of the database: its disk may not be mounted.
        case payloadsMissing = "payloads_missing"
        /// The database file is damaged.
        case corrupt
        /// Another process holds the state directory.
        case locked
        /// The store has a format that this version does not read.
        case otherFormat = "other_format"
        /// The store is closed.
        case closed
        /// A reading transaction tried to write, or another mistake of ours.
        case misuse
    }

    /// The kind of error.
    package var code: Code
    /// A part of a sentence, for people and the log.
    package var message: String
    /// The words of the library that failed, for the log alone; `nil` where there are none.
    package var detail: String?

    /// Makes an error.
    package init(code: Code, message: String, detail: String? = nil) {
        self.code = code
        self.message = message
        self.detail = detail
    }

    /// The prospect of another attempt.
    package enum Outlook: Sendable {
        /// It succeeds as soon as there is room: waiting helps.
        case waits
        /// Another attempt may succeed.
        case passes
        /// Another attempt is refused for the same reason, until the cause is removed.
        case stays
    }

    /// The prospect of another start.
    package var outlook: Outlook {
        switch code {
        case .diskFull: .waits
        case .inputOutput, .locked, .closed, .displaced, .payloadsMissing: .passes
        case .inaccessible, .corrupt, .otherFormat, .misuse: .stays
        }
    }

    /// Code and message, and the detail: for the log.
    package var description: String { "\(code.rawValue): \(message)\(detail.map { " (\($0))" } ?? "")" }
}
