extension DaemonClient {
    /// How the daemon is; only for whoever may do everything.
    public func status() async throws -> DaemonStatus {
        try await value(.status)
    }

    /// What an application may know of how the daemon is.
    public func bareStatus() async throws -> BareStatus {
        try await value(.status)
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
    /// Its sessions end, and what it writes from now on counts nowhere. This cannot be undone.
    /// - Parameter device: Its id.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func removeDevice(_ device: String) async throws {
        _ = try await document(.removeDevice(device))
    }

    /// The 24 words that outrank every device; keep them on paper.
    public func recoveryPhrase() async throws -> [String] {
        struct Answer: Decodable { var words: [String] }
        return try await value(.recoveryPhrase, as: Answer.self).words
    }

    /// Begins to offer a place in this account; an earlier open offer ends.
    public func offerPairing() async throws -> PairingOffer {
        try await value(.offerPairing)
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
