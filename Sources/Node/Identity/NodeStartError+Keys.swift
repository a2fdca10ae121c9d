// What is said of keys when a node starts.

extension NodeStartError {
    /// Keys that cannot be used.
    /// - Returns: `nil` for an error that is somebody else's.
    init?(ofKeys directory: String, _ error: any Error) {
        switch error {
        case let error as NodeStartError: self = error
        case let error as SecretFile.Failure: self.init(description: error.description)
        case let error as StateSealError: self.init(description: error.description)
        case let error as PrivateFile.Failure:
            self.init(description: "the keys in \(directory) cannot be used: \(error)")
        default: return nil
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
                "The keys in \(directory) are not sealed: whoever can read this disk, or a backup of it, has them.",
            fix: "Seal them with a systemd credential or a passphrase, see docs/operations/secrets.md."
        )
    }
}
