import Wire

/// The message of a peer that arrives in parts.
struct ArrivingMessage: Sendable {
    private var assembly = MessageAssembly()
    /// The time by which it must be complete if the peer's device or account is not known here; nil while none has
    /// begun.
    private(set) var until: UInt64?

    var byteCount: Int { assembly.byteCount }

    /// The kinds of long message that a session may have.
    private static let kinds: Set<LongMessage> = [
        .accountEntries, .rangeDigests, .rangeItems, .zoneState, .acknowledge, .forkProof, .guestWrite,
    ]

    /// Those of them that are accepted from a device that is not confirmed.
    private static let unconfirmedKinds: Set<LongMessage> = [.accountEntries, .acknowledge]

    /// Whether a message is a part, or comes between the parts of one.
    func isPart(_ message: PeerMessage) -> Bool {
        if case .part = message { true } else { assembly.isOpen }
    }

    /// Takes the next part.
    /// - Returns: The complete message; `nil` while parts are missing.
    mutating func take(
        _ message: PeerMessage,
        isConfirmed: Bool,
        at now: UInt64,
        _ limits: SyncLimits
    ) throws(MessageAssembly.Fault) -> PeerMessage? {
        let whole = try assembly.take(
            message,
            of: isConfirmed ? Self.kinds : Self.unconfirmedKinds,
            passingOver: Self.kinds
        )
        until = assembly.isOpen ? until ?? now + limits.strangerPartsMilliseconds : nil
        return whole
    }
}
