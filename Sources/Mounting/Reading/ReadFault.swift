internal import Glibc
internal import KairanClient

/// A reading of a file, or of a fact about it, that failed for a reason of this program's own.
enum ReadFault: Error, Hashable {
    /// No place names the content any more.
    case stale
    /// Bytes are missing, and no answer says why.
    case incomplete
    /// The fact is not there any more.
    case noValue

    /// Whether the content may be read at another place.
    static func isElsewhere(_ error: KairanError) -> Bool {
        ["asset.replaced", "asset.unknown", "record.unknown", "record.deleted"].contains(error.code)
    }

    /// The error number by which a program learns of a failure.
    static func number(of error: any Error) -> Int32 {
        switch error {
        case is CancellationError: EINTR
        case ReadFault.stale: ESTALE
        case ReadFault.noValue: ENODATA
        case let error as KairanError: number(of: error)
        default: EIO
        }
    }

    private static func number(of error: KairanError) -> Int32 {
        switch error.code {
        // Every connected device that may have the content has answered that it lacks it; otherwise none did in time.
        case "asset.unavailable": error.detail("state") == Asset.State.missing.rawValue ? ENODATA : ETIMEDOUT
        case "asset.not_wanted": EACCES
        case "storage.disk_full": ENOSPC
        case "zone.unknown", "zone.deleted": ESTALE
        case _ where isElsewhere(error): ESTALE
        default: EIO
        }
    }
}

extension ReadFault: CustomStringConvertible {
    /// The reason, as a sentence.
    var description: String {
        switch self {
        case .stale: "No record names this content any more."
        case .incomplete: "The daemon answered with fewer bytes than it stated."
        case .noValue: "The record does not state this any more."
        }
    }
}
