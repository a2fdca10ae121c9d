import Mailbox

/// The reason why the cluster refused a request.
enum StreamError: Error, Hashable {
    /// Another front end wrote first; the write has to be decided again.
    case conflict
    /// It may go well if it is tried again: there is no leader at this moment, or too much is under way.
    case passing(String)
    /// More was found than one answer holds.
    case tooManyResults
    /// The stream has no room.
    case full
    /// Anything else.
    case failed(String)

    /// The error that the storage's callers know.
    var storageError: ParcelStorageError {
        switch self {
        case .conflict: .unavailable("other relays keep writing the same data")
        case .passing(let words), .failed(let words): .unavailable(words)
        case .tooManyResults: .unavailable("the cluster found more than it can answer at once")
        case .full: .unavailable("the stream has no room")
        }
    }
}

extension StreamError: CustomStringConvertible {
    /// The reason, for the relay's log.
    var description: String {
        switch self {
        case .conflict: "another relay wrote first"
        case .passing(let words), .failed(let words): "\(words)"
        case .tooManyResults: "the cluster found more than it can answer at once"
        case .full: "the stream has no room"
        }
    }
}
