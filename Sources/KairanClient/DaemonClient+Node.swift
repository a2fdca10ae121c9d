extension DaemonClient {
    /// How the daemon is.
    public func status() async throws -> DaemonStatus {
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
    public func acceptPairing(ticket: String) async throws -> PairingResult {
        try await value(.acceptPairing(ticket: ticket))
    }
}

extension DaemonRequest {
    /// How the daemon is.
    package static var status: DaemonRequest { DaemonRequest(.get, ["status"]) }
    /// The other devices.
    package static var peers: DaemonRequest { DaemonRequest(.get, ["peers"]) }
    /// The account.
    package static var account: DaemonRequest { DaemonRequest(.get, ["account"]) }
    /// The recovery words.
    package static var recoveryPhrase: DaemonRequest { DaemonRequest(.get, ["account", "recovery-key"]) }
    /// An offer.
    package static var offerPairing: DaemonRequest { DaemonRequest(.post, ["pairing", "offers"]) }

    /// The removal of a device.
    package static func removeDevice(_ device: String) -> DaemonRequest {
        DaemonRequest(.delete, ["devices", device])
    }

    /// The outcome of an offer.
    package static func awaitPairing(ticket: String, waitMilliseconds: Int) -> DaemonRequest {
        DaemonRequest(.get, ["pairing", "offers", ticket], query: [("wait_ms", "\(waitMilliseconds)")])
    }

    /// The acceptance of an offer.
    package static func acceptPairing(ticket: String) -> DaemonRequest {
        DaemonRequest(.post, ["pairing", "accept"], body: ["ticket": .string(ticket)])
    }
}
