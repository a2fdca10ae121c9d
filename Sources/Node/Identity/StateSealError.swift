package import Identity

/// Why the seal of a state directory cannot be opened, made or removed.
package struct StateSealError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason why a seal does not open.
    package enum Reason: Sendable, Equatable {
        /// No secret was given that opens it.
        case noSecret(UnlockingSecret.Kind)
        /// It does not open.
        case seal(SealFileError)
    }

    /// The state directory.
    package var directory: String
    /// The reason why the seal does not open.
    package var reason: Reason

    /// The fault, its place and its remedy; nothing of any secret.
    package var description: String {
        let seal = "\(directory)/seal"
        return switch reason {
        case .noSecret(.passphrase):
            "the keys in \(directory) are sealed with a passphrase and none was given; name a file with it"
                + " (--passphrase-file), have the daemon ask for it (--ask-passphrase), or pass it as the systemd credential"
                + " kairan-passphrase"
        case .noSecret(.credential):
            "the keys in \(directory) are sealed with the systemd credential kairan-key and it was not given; check"
                + " that the service's drop-in loads it (`systemctl cat kairand`); `kairand seal`, `reseal` and `unseal` also"
                + " take a file with its content (--credential-file)"
        case .seal(.wrongSecret):
            "\(seal) was locked with another passphrase or credential than the one given; nothing was changed. Give the"
                + " right one; if it is lost, the device has to be set up anew with another device or the 24 words"
        case .seal(.damaged):
            "\(seal) is damaged and nothing was changed; restore it from a backup of this state directory"
        case .seal(.otherFormat):
            "\(seal) is not a seal of Kairan and nothing was changed; move it away and restore the right one"
        case .seal(.laterVersion(let version)):
            "\(seal) was written by a later version of Kairan (format \(version)); use that one"
        case .seal(.tooCostly):
            "\(seal) asks for more memory or time than any seal that Kairan makes, so it was changed; restore it from a"
                + " backup of this state directory"
        case .seal(.otherKind): "\(seal) is opened by another kind of secret"
        case .seal(.outOfMemory(let byteCount)):
            "the passphrase of \(seal) cannot be checked: that takes \(byteCount >> 20) MiB of memory, which is not available;"
                + " free some, or raise the limit of the service (MemoryMax=)"
        }
    }
}
