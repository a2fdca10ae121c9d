import Identity
import Session

/// What is going on about pairing: the open offer, the search, and the channels on which they happen.
struct PairingDesk: Sendable {
    /// What this side of a pairing channel is.
    enum Role: Sendable, Equatable {
        /// It lets the other device in.
        case offering
        /// It asks to be let in.
        case joining
    }

    /// A channel that stands under a ticket.
    struct Link: Sendable {
        var connection: any PeerConnection
        var role: Role
        var certificate: VerifiedCertificate
        /// Set when the other device was let in and has not said that it knows.
        var isWelcomed = false
    }

    /// An offer with its ticket's text.
    struct Offer: Sendable {
        var offer: PairingOffer
        var secret: ChannelSecret
    }

    /// A search for whoever offers a ticket.
    struct Search: Sendable {
        var secret: ChannelSecret
        var outcome: Result<PairingOutcome, NodeError>?
        /// When each address was last tried, in monotonic milliseconds.
        var tried: [PeerAddress: UInt64] = [:]
    }

    /// Outcomes kept for whoever asks late; older ones are dropped.
    static let outcomeCountMax = 8

    var offer: Offer?
    var search: Search?
    private(set) var outcomes: [(ticket: String, outcome: Result<PairingOutcome, NodeError>)] = []
    private(set) var links: [ConnectionID: Link] = [:]

    /// Whether a channel stands under a ticket.
    func isPairing(_ id: ConnectionID) -> Bool { links[id] != nil }

    /// Whether this side is asking somebody to be let in just now.
    var isJoining: Bool { links.values.contains { $0.role == .joining } }

    /// Whether a device was let in and has not said yet that it knows.
    var isWelcoming: Bool { links.values.contains { $0.isWelcomed } }

    mutating func insert(_ link: Link) { links[link.connection.id] = link }

    mutating func remove(_ id: ConnectionID) -> Link? { links.removeValue(forKey: id) }

    mutating func welcomed(_ id: ConnectionID) { links[id]?.isWelcomed = true }

    /// Keeps how an offer ended.
    mutating func finish(_ ticket: String, _ outcome: Result<PairingOutcome, NodeError>) {
        outcomes.append((ticket, outcome))
        if outcomes.count > Self.outcomeCountMax { outcomes.removeFirst() }
    }

    /// How an offer ended; `nil` while it is open or when it never was.
    func outcome(of ticket: String) -> Result<PairingOutcome, NodeError>? {
        outcomes.last { $0.ticket == ticket }?.outcome
    }
}
