extension DaemonClient {
    /// Returns the status of the daemon; for administrators only.
    public func status() async throws -> DaemonStatus {
        try await value(.status)
    }

    /// Returns the part of the daemon's status that an application may see.
    public func bareStatus() async throws -> BareStatus {
        try await value(.status)
    }

    /// Returns the daemon's counters and measurements.
    ///
    /// ``metricsText()`` returns the same in the format that Prometheus reads.
    /// - Returns: All families that have values.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func metrics() async throws -> MetricsReport {
        try MetricsReport(text: await metricsText())
    }

    /// Returns the daemon's counters and measurements in Prometheus' text format 0.0.4.
    /// - Returns: The text.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func metricsText() async throws -> String {
        String(decoding: try await Self.collect(open(.metrics, accept: "text/plain")), as: UTF8.self)
    }

    /// The outcome of the daemon's checks: of this machine, its network and its work.
    ///
    /// The whole database is read, so this takes the longer, the larger it is.
    /// - Returns: All checks, then the warnings that are no check's finding.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func checks() async throws -> [HealthCheck] {
        try await value(.doctor)
    }

    /// The outcome of the daemon's checks, with the progress while they are made.
    /// - Parameter progress: Takes the progress before each step, in order.
    /// - Returns: As ``checks()``.
    /// - Throws: ``KairanError``, also when the answer ends before the outcome; `CancellationError`.
    public func checks(noting progress: (CheckProgress) -> Void) async throws -> [HealthCheck] {
        struct Outcome: Decodable { var checks: [HealthCheck]? }
        let lines = try await LineSequence(body: open(.doctorProgress, accept: "application/x-ndjson"))
        for try await line in lines where !line.isEmpty {
            let outcome: Outcome = try Self.decode(line)
            if let checks = outcome.checks { return checks }
            progress(try Self.decode(line))
        }
        throw KairanError.interrupted(reason: "the checks were not finished")
    }

    /// Marks a warning as known, over restarts, until it becomes worse.
    /// - Parameter code: The warning's.
    /// - Throws: ``KairanError``: `warning.unknown` where it does not stand, `warning.critical`; `CancellationError`.
    public func acknowledge(warning code: String) async throws {
        _ = try await document(.acknowledge(warning: code))
    }

    /// Shows warnings with a code again.
    /// - Parameter code: The warning's.
    /// - Throws: ``KairanError``: `warning.unknown` where none was acknowledged; `CancellationError`.
    public func withdrawAcknowledgement(of code: String) async throws {
        _ = try await document(.withdrawAcknowledgement(of: code))
    }

    /// The other devices of the account, and any that is connected.
    public func peers() async throws -> [Peer] {
        try await value(.peers)
    }

    /// The account with its devices.
    public func account() async throws -> Account {
        try await value(.account)
    }

    /// Removes a device from the account.
    ///
    /// Its sessions end, and its later writes are quarantined. This cannot be undone.
    ///
    /// The device may answer with a removal of the one that removed it. Against a device in wrong hands use the recovery words.
    /// - Parameter device: Its id.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func removeDevice(_ device: String) async throws {
        _ = try await document(.removeDevice(device))
    }

    /// Removes a device from the account by the recovery words, which outrank every device.
    ///
    /// No device undoes it. If the device had removed the one on which this daemon runs, this one is in the account again.
    /// - Parameters:
    ///   - device: Its id.
    ///   - words: The 24 words, in their order.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func removeDevice(_ device: String, words: [String]) async throws {
        _ = try await document(.removeDevice(device, words: words))
    }

    /// Replaces the recovery words, for use when another person may have seen them.
    /// - Parameter words: The present words.
    /// - Returns: The new words, which the daemon's device keeps.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func replaceRecoveryWords(_ words: [String]) async throws -> [String] {
        struct Answer: Decodable { var words: [String] }
        return try await value(.replaceRecoveryWords(words: words), as: Answer.self).words
    }

    /// The 24 words that outrank every device; keep them on paper.
    public func recoveryPhrase() async throws -> [String] {
        struct Answer: Decodable { var words: [String] }
        return try await value(.recoveryPhrase, as: Answer.self).words
    }

    /// Joins the account of these recovery words, with the help of any device of it; looks for one for about a minute.
    /// - Parameters:
    ///   - words: The 24 words, in their order.
    ///   - account: The account's id or its first 16 characters or more, if it is known: the words do not name it, and
    ///     devices of other accounts are then passed over.
    /// - Returns: The device that helped.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func recoverAccount(words: [String], account: String? = nil) async throws -> PairingResult {
        try await value(.recoverAccount(words: words, account: account))
    }

    /// Creates a token that admits machines to the account without a person's confirmation.
    /// - Parameters:
    ///   - uses: The number of machines, 1 to 256.
    ///   - seconds: The token's validity, a minute to 30 days.
    ///   - role: The role of these machines.
    /// - Returns: The token.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func makeEnrolmentToken(
        uses: Int = 1,
        seconds: Int = 86_400,
        role: Device.Role = .full
    ) async throws -> EnrolmentToken {
        try await value(.makeEnrolmentToken(uses: uses, seconds: seconds, role: role.rawValue))
    }

    /// Ends all enrolment tokens that were made on this device.
    public func withdrawEnrolmentTokens() async throws {
        _ = try await document(.withdrawEnrolmentTokens)
    }

    /// Offers a new device a place in this account; an earlier open offer ends.
    /// - Parameter role: The role of the device that accepts the offer.
    /// - Returns: The offer.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func offerPairing(role: Device.Role = .full) async throws -> PairingOffer {
        try await value(.offerPairing(role: role.rawValue))
    }

    /// Waits for the outcome of an offer, however long it takes.
    /// - Parameter ticket: The ticket of the offer.
    /// - Returns: The other device and the words to compare.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func pairingResult(ticket: String) async throws -> PairingResult {
        try Self.decode(await pairingDocument(ticket: ticket))
    }

    /// The outcome of an offer as it was received.
    package func pairingDocument(ticket: String) async throws -> [UInt8] {
        while true {
            let document = try await document(.awaitPairing(ticket: ticket, waitMilliseconds: 30_000))
            // No content means: nothing happened yet.
            if !document.isEmpty { return document }
            try Task.checkCancellation()
        }
    }

    /// Joins the account that offers this ticket; looks for it for about a minute.
    /// - Parameter ticket: The ticket as the other device shows it.
    /// - Returns: The other device and the words to compare.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func acceptPairing(ticket: String) async throws -> PairingResult {
        try await value(.acceptPairing(ticket: ticket))
    }
}
