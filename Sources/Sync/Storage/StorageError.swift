/// Why storage refused or failed.
package struct StorageError: Error, Sendable, CustomStringConvertible {
    /// The kinds that the layers above tell apart.
    package enum Code: String, Sendable {
        /// No space left: writes are refused, reads go on, it recovers when there is space again.
        case diskFull = "disk_full"
        /// The device reported an I/O error.
        case inputOutput = "io_error"
        /// The database file is damaged.
        case corrupt
        /// Another process holds the state directory.
        case locked
        /// The store was written by a newer version.
        case newerFormat = "newer_format"
        /// The store is closed.
        case closed
        /// A reading transaction tried to write, or another mistake of ours.
        case misuse
    }

    /// Which kind.
    package var code: Code
    /// What happened, for the log.
    package var message: String

    /// Makes an error.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    package var description: String { "\(code.rawValue): \(message)" }
}
