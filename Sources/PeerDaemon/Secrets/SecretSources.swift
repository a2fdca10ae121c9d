import Glibc
import Identity
import Node

/// The sources of the secret that opens the seal of the state directory.
///
/// Sources closer to the person who starts the daemon take precedence: a passphrase typed at a terminal, a file named
/// by flag or configuration, the systemd credential `kairan-key`, the systemd credential `kairan-passphrase`. A seal
/// is opened with the first available secret of the kind that it takes; a new one is made with the first available
/// secret.
struct SecretSources: Sendable, Equatable {
    /// Whether to ask for a passphrase at the terminal.
    var asksPassphrase = false
    /// A file with a passphrase.
    var passphraseFile: String?
    /// A file with the content of the service's credential `kairan-key`; only the offline commands accept one.
    var credentialFile: String?
    /// The directory of the service's credentials, from `$CREDENTIALS_DIRECTORY`.
    var credentialDirectory: String?

    /// The name of the credential that is a key.
    var keyName = "kairan-key"
    /// The name of the credential that is a passphrase.
    var passphraseName = "kairan-passphrase"

    /// Returns the requested secret.
    /// - Parameter request: The purpose of the secret.
    /// - Returns: `nil` when there is none of the kind.
    /// - Throws: `DaemonConfiguration.Refusal` for a source that was named and is unusable.
    func secret(for request: StateSeal.Request) throws(DaemonConfiguration.Refusal) -> UnlockingSecret? {
        let takes: (UnlockingSecret.Kind) -> Bool = { kind in
            if case .open(let wanted) = request { kind == wanted } else { true }
        }
        if asksPassphrase, takes(.passphrase) {
            return try PassphrasePrompt(isNew: request == .make).read()
        }
        if let passphraseFile, takes(.passphrase) {
            return try UnlockingFile(path: passphraseFile, kind: .passphrase, name: "passphrase-file").read()
        }
        if let credentialFile, takes(.credential) {
            return try UnlockingFile(path: credentialFile, kind: .credential, name: "credential-file").read()
        }
        let credentials: [(String, UnlockingSecret.Kind)] = [
            (keyName, .credential), (passphraseName, .passphrase),
        ]
        for (name, kind) in credentials where takes(kind) {
            guard let path = credentialDirectory.map({ $0 + "/" + name }), access(path, F_OK) == 0 else { continue }
            return try UnlockingFile(path: path, kind: kind, name: "credential \(name)", isFromSystem: true).read()
        }
        return nil
    }
}
