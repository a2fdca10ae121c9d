import Glibc
import NIOCore

/// Words for errors that other libraries have made, for logs and people.
package enum LibraryError {
    /// The words for any error: the system's for one of its own, and the error's where it has some.
    /// - Parameter error: The error as it was caught.
    /// - Returns: A part of a sentence, never the layout of a type.
    package static func words(for error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        case ChannelError.connectTimeout: "no answer in time"
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed: "the connection is closed"
        case is CancellationError: "it was cancelled"
        case let error as any CustomStringConvertible: error.description
        default: "an error of the kind \(type(of: error))"
        }
    }
}
