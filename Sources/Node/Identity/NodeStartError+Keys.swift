import Glibc
import Identity
package import Sync

// Errors of keys when a node starts.

extension NodeStartError {
    /// Keys that cannot be used.
    /// - Returns: `nil` for an error that is not about keys.
    init?(ofKeys directory: String, _ error: any Error) {
        switch error {
        case let error as NodeStartError: self = error
        case let error as SecretFile.Failure: self.init(description: error.description)
        case let error as StateSealError: self.init(description: error.description, outlook: error.outlook)
        case let error as PrivateFile.Failure:
            self.init(description: "the keys in \(directory) cannot be used: \(error)", outlook: error.outlook)
        case let error as StorageError:
            self.init(description: "the store in \(directory) cannot be used: \(error.message)", outlook: error.outlook)
        default: return nil
        }
    }
}

extension StateSealError {
    /// The outlook of another start: it may find enough memory, and never another secret.
    fileprivate var outlook: StorageError.Outlook {
        if case .seal(.outOfMemory(byteCount: _)) = reason { .passes } else { .stays }
    }
}

extension PrivateFile.Failure {
    /// The outlook of another start.
    package var outlook: StorageError.Outlook {
        if isDiskFull { return .waits }
        switch errorNumber {
        case EIO, EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, ESTALE: return .passes
        default: return .stays
        }
    }
}

extension HealthWarning {
    /// The keys lie in the clear.
    static func keysUnsealed(in directory: String) -> HealthWarning {
        HealthWarning(
            code: "keys.unsealed",
            severity: .info,
            message:
                "The keys in \(directory) are not sealed: every reader of this disk, or of a backup of it, has them.",
            fix:
                "Seal them with a systemd credential or a passphrase, see /usr/share/doc/kairan/docs/operations/secrets.md."
        )
    }
}
