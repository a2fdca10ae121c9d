import Glibc
import Identity
import Node
import Sodium

/// A file whose content opens the seal of the state directory.
///
/// It belongs to root or to the daemon's user, and no other user may read or change it. systemd ensures this for a
/// credential.
struct UnlockingFile {
    /// The path of the file.
    let path: String
    /// The kind of the secret.
    let kind: UnlockingSecret.Kind
    /// The name of the file, for messages.
    let name: String
    /// Whether the system made it for this service.
    var isFromSystem = false

    /// Reads the secret.
    /// - Throws: `DaemonConfiguration.Refusal`, which never shows the content of the file.
    func read() throws(DaemonConfiguration.Refusal) -> UnlockingSecret {
        let file = PrivateFile(path: path)
        var bytes: [UInt8]
        do {
            if !isFromSystem {
                let facts = try file.facts()
                guard facts.isRegular else { throw refusal("is not a file") }
                guard facts.owner == 0 || facts.owner == geteuid() else {
                    throw refusal("belongs to another user (\(facts.owner)); give it to root or to the daemon's user")
                }
                guard !facts.isOpenToGroupOrOthers else {
                    throw refusal(
                        "may be used by users other than its owner; `chmod 600 \(path)`, and choose another secret if"
                            + " another user may have read it"
                    )
                }
            }
            guard let content = try file.read(limit: UnlockingSecret.byteCountMax) else { throw refusal("is missing") }
            bytes = content
        } catch let error as DaemonConfiguration.Refusal {
            throw error
        } catch let error as PrivateFile.Failure {
            throw refusal("cannot be read: \(String(cString: strerror(error.errorNumber)))")
        } catch {
            throw refusal("cannot be read")
        }
        defer { ConstantTime.wipe(&bytes) }
        switch kind {
        case .passphrase:
            guard let secret = UnlockingSecret.passphrase(wiping: &bytes) else {
                throw refusal("must hold a passphrase of at least \(UnlockingSecret.passphraseByteCountMin) bytes")
            }
            return secret
        case .credential:
            guard let secret = UnlockingSecret.credential(wiping: &bytes) else {
                throw refusal(
                    "must hold at least \(UnlockingSecret.credentialByteCountMin) bytes; `head -c 32 /dev/urandom`"
                        + " makes them"
                )
            }
            return secret
        }
    }

    private func refusal(_ what: String) -> DaemonConfiguration.Refusal {
        DaemonConfiguration.Refusal(description: "\(name): \(path) \(what)")
    }
}
