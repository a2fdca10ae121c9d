import Identity
import Session
import Wire

/// What is going on about pairing: the open offer, the search, and the channels on which they happen.
struct PairingDesk: Sendable {
    /// What this side of a pairing channel is.
    enum Role: Sendable, Equatable {
        /// It lets the other device in.
        case offering
        /// It asks to be let in.
        case joining
    }

    /// A channel on which a device joins.
    struct Link: Sendable {
        var connection: any PeerConnection
        var role: Role
        var certificate: VerifiedCertificate
        /// The account that the other device names as its own.
        var account: AccountID
        /// What the channel stands under; it may have ended since.
        var purpose: ChannelSecret.Purpose
        /// Set when the other device was let in and has not said that it knows.
        var isWelcomed = false
        /// Whether the other device was told what it would be allowed to do.
        var hasHeardTerms = false

        /// Names the ticket under which the channel stands; empty, and no ticket's name, when it is none.
        var ticket: [UInt8] {
            if case .ticket(let identifier) = purpose { identifier } else { [] }
        }
    }

    /// An offer with the key of its channel.
    struct Offer: Sendable {
        var offer: PairingOffer
        var secret: ChannelSecret
        /// What the device may do that is let in.
        var role = DeviceRole.full
    }

    /// A ticket that is good for nothing any more.
    ///
    /// Its channel is still opened for a while, so that whoever types it is told why at once instead of searching in
    /// vain.
    struct Retired: Sendable {
        var ticket: [UInt8]
        var secret: ChannelSecret
        var refusal: PairingRefusal
        /// When it is forgotten, in milliseconds since 1970.
        var end: UInt64
    }

    /// A search for whoever lets this device in.
    struct Search: Sendable {
        var secret: ChannelSecret
        /// Signs this device in, when it is by the recovery words that it joins.
        var recoveryKey: RecoveryKey?
        /// How the account's name has to begin; empty when any will do.
        var accountPrefix = ""
        /// Whether this device has zones, which it could not take along into an account in which it may not write.
        var hasZones = false
        /// Whether nobody waits for it, so that it gives way to somebody who does.
        var isUnattended = false
        /// Tells it from the one that took its place.
        fileprivate(set) var number: UInt64 = 0
        var outcome: Result<PairingOutcome, NodeError>?
        /// When each address was last tried, in monotonic milliseconds.
        var tried: [PeerAddress: UInt64] = [:]
    }

    /// Outcomes kept for whoever asks late; older ones are dropped.
    static let outcomeCountMax = 8
    /// Tickets that are answered with a reason; older ones are forgotten.
    ///
    /// With the fleet's, the offer's, and those of the recovery words and of eight enrolment tokens the channel tries 23 keys
    /// at most.
    static let retiredCountMax = 8

    private(set) var offer: Offer?
    private(set) var retired: [Retired] = []
    var search: Search?
    private var searchCount: UInt64 = 0
    /// The enrolment tokens that are good for something.
    private(set) var enrolments = EnrolmentBook()
    private var enrolmentSecrets: [ChannelSecret] = []
    private(set) var outcomes: [(ticket: String, outcome: Result<PairingOutcome, NodeError>)] = []
    private(set) var links: [ConnectionID: Link] = [:]

    /// Whether a channel is for joining.
    func isPairing(_ id: ConnectionID) -> Bool { links[id] != nil }

    /// Whether this side is asking somebody to be let in just now.
    var isJoining: Bool { links.values.contains { $0.role == .joining } }

    /// Whether a device was let in by the open offer and has not said yet that it knows.
    var isWelcoming: Bool { links.values.contains { $0.isWelcomed && isOpen($0.ticket) } }

    /// The keys under which a device that wants to pair may connect.
    var secrets: [ChannelSecret] { enrolmentSecrets + (offer.map { [$0.secret] } ?? []) + retired.map(\.secret) }

    /// Takes other enrolment tokens in the place of those so far.
    mutating func setEnrolments(_ book: EnrolmentBook) {
        enrolments = book
        enrolmentSecrets = book.offers.map {
            ChannelSecret(purpose: .enrolment(identifier: $0.token.identifier), key: $0.token.presharedKey())
        }
    }

    // MARK: The search

    /// Begins a search; one that goes on ends.
    /// - Returns: Its number.
    mutating func begin(_ new: Search) -> UInt64 {
        searchCount += 1
        search = new
        search?.number = searchCount
        return searchCount
    }

    /// Whether another search may not begin now.
    func isSearching(against new: Search) -> Bool {
        guard let search else { return false }
        return isJoining || !search.isUnattended || new.isUnattended
    }

    // MARK: Channels

    mutating func insert(_ link: Link) { links[link.connection.id] = link }

    mutating func remove(_ id: ConnectionID) -> Link? { links.removeValue(forKey: id) }

    mutating func told(_ id: ConnectionID) { links[id]?.hasHeardTerms = true }

    mutating func welcomed(_ id: ConnectionID) { links[id]?.isWelcomed = true }

    // MARK: The offer

    mutating func open(_ new: Offer) { offer = new }

    /// Whether this is the ticket of the open offer.
    func isOpen(_ ticket: [UInt8]) -> Bool { offer?.offer.ticket.identifier == ticket }

    /// Why a ticket is good for nothing any more; `nil` when that was never said of it, or is forgotten.
    func refusal(of ticket: [UInt8]) -> PairingRefusal? { retired.last { $0.ticket == ticket }?.refusal }

    /// Counts an attempt with the open offer's ticket.
    mutating func attemptBegan(at wall: UInt64) -> PairingOffer.Outcome? { offer?.offer.attemptBegan(at: wall) }

    /// Counts a handshake that was finished under the open offer's ticket.
    mutating func handshakeFinished(at wall: UInt64) -> PairingOffer.Outcome? {
        offer?.offer.handshakeFinished(at: wall)
    }

    /// Uses up the open offer's ticket.
    mutating func redeem(at wall: UInt64) -> PairingOffer.Outcome? { offer?.offer.redeem(at: wall) }

    /// Ends the open offer: whoever asks for its outcome gets it, and whoever still brings its ticket is told why not.
    mutating func close(
        _ outcome: Result<PairingOutcome, NodeError>,
        refusal: PairingRefusal,
        at wall: UInt64
    ) {
        guard let ended = offer else { return }
        offer = nil
        outcomes.append((ended.offer.ticket.text, outcome))
        if outcomes.count > Self.outcomeCountMax { outcomes.removeFirst() }
        retired.append(
            Retired(
                ticket: ended.offer.ticket.identifier,
                secret: ended.secret,
                refusal: refusal,
                end: wall &+ PairingOffer.lifetimeMilliseconds
            )
        )
        if retired.count > Self.retiredCountMax { retired.removeFirst() }
    }

    /// Forgets tickets that ended long ago.
    /// - Returns: Whether there were any.
    mutating func forgetRetired(at wall: UInt64) -> Bool {
        let count = retired.count
        retired.removeAll { $0.end <= wall }
        return retired.count < count
    }

    /// How an offer ended; `nil` while it is open or when it never was.
    func outcome(of ticket: String) -> Result<PairingOutcome, NodeError>? {
        outcomes.last { $0.ticket == ticket }?.outcome
    }
}
