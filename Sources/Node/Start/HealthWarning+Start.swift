import Identity

// Health warnings about the state directory, at a start and later.

extension HealthWarning {
    /// The store may lack content that the other devices have.
    static let storeRecovering = HealthWarning(
        code: "store.recovering",
        severity: .warning,
        message: "The store may lack operations that this device once had, and has not met a peer since.",
        fix: "Connect another device of the account."
    )

    /// The store lacks content that no other device has.
    static let storeOlder = HealthWarning(
        code: "store.older",
        severity: .warning,
        message:
            "The store is older than the one that this device had, and no other device has the missing operations.",
        fix: "Stop the daemon and restore a newer store, or continue with this one: `kairand accept-loss`."
    )

    static let storageDisplacedCode = "storage.displaced"

    /// The state directory is not the one any more in which the daemon was started.
    static func storageDisplaced(_ words: String) -> HealthWarning {
        HealthWarning(
            code: storageDisplacedCode,
            severity: .critical,
            message: "The state directory was removed or replaced under the daemon, so writes are refused: \(words).",
            fix: "Stop the daemon, put the right directory in its place, and start it again."
        )
    }

    static let payloadsMissingCode = "storage.payloads_missing"

    /// The files with the contents of messages and assets are not where the store looks for them.
    static func payloadsMissing(_ words: String) -> HealthWarning {
        HealthWarning(
            code: payloadsMissingCode,
            severity: .critical,
            message: "The contents of messages and assets can be neither read nor written: \(words).",
            fix:
                "Mount the disk, or put the directory in its place. If the contents are lost, stop the daemon, remove the"
                + " empty directory and start it again: they are fetched from other devices when they are read."
        )
    }

    /// The store begins another life.
    static func storeRenewed(_ reason: IncarnationDecision.Reason) -> HealthWarning {
        HealthWarning(
            code: "store.renewed",
            severity: .info,
            message: "The store was restored, copied or moved (\(reason)); a new incarnation has begun.",
            fix: "No action is needed: peers send the missing operations."
        )
    }

    /// A person has accepted that the store was lost.
    static let storeBegunAnew = HealthWarning(
        code: "store.renewed",
        severity: .info,
        message: "The store was lost; the device continues with the remaining data, under a new incarnation.",
        fix: "No action is needed."
    )
}

extension NodeIdentity {
    /// The warning that this device keeps the account's recovery words and cannot read them.
    ///
    /// The device that made the account keeps them for as long as they are its words.
    func recoveryWarning() -> HealthWarning? {
        let account = accountState
        let isKeeper = account.devices[device]?.addedAt == 0 && account.earlierRecoveryKeys.isEmpty
        do {
            guard try files.recoveryKey.read(KeyFile.recoveryPhrase) == nil, isKeeper else { return nil }
        } catch {
            // Damaged words may be those of an account that was left; it cannot be determined.
        }
        return HealthWarning(
            code: "recovery.unreadable",
            severity: .warning,
            message: "The account's 24 recovery words, which this device keeps, are gone or damaged.",
            fix: "Restore keys/recovery.key from a backup; the words on paper stay valid."
        )
    }
}
