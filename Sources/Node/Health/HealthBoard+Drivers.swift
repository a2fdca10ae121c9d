// Warnings about the facts that the drivers of a process find.

extension HealthBoard {
    private static let descriptorsCode = "descriptors.exhausted"

    /// Says that no descriptor is free for further connections, or takes that back.
    /// - Parameter limit: How many descriptors this process may have; 0 = unknown; `nil` = there are free ones.
    package func note(descriptorShortage limit: UInt64?) {
        guard let limit else {
            clear(Self.descriptorsCode)
            return
        }
        let all = limit > 0 ? "All \(limit) descriptors" : "All descriptors"
        set(
            HealthWarning(
                code: Self.descriptorsCode,
                severity: .warning,
                message: "\(all) of the daemon are in use: further connections wait until some are closed.",
                fix: "Close programs that hold connections, or raise the limit of the service (LimitNOFILE=)."
            )
        )
    }

    private static let applicationCode = "application.disabled"

    /// Says which applications are disabled, since their files are wrong, and no more of those that are right again.
    /// - Parameter notices: All that are, by name; empty = none.
    package func note(disabledApplications notices: [ApplicationNotice]) {
        guard !notices.isEmpty else {
            clear(Self.applicationCode)
            return
        }
        set(
            HealthWarning(
                code: Self.applicationCode,
                severity: .warning,
                message: notices.map { $0.sentence + "." }.joined(separator: " "),
                fix:
                    "Correct the file, then `systemctl reload kairand`; a daemon of your own reads it again at SIGHUP.",
                facts: ["application": notices.map(\.name).joined(separator: ", ")]
            )
        )
    }

    /// Raises or clears the warning about the storage of a relay's parcels.
    /// - Parameter findings: The findings and their remedies, the worst first.
    package func note(parcelStorage findings: [(words: String, fix: String)]) {
        guard let first = findings.first else {
            clear(Self.parcelStorageCode)
            return
        }
        set(
            HealthWarning(
                code: Self.parcelStorageCode,
                severity: .warning,
                message: findings.map(\.words).joined(separator: " "),
                fix: first.fix
            )
        )
    }

    /// The warning that is raised while a relay's cluster may lose parcels sooner than it should.
    private static let parcelStorageCode = "relay.storage_unsafe"
}
