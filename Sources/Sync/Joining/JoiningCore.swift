package import Identity
package import Wire

/// The good end of joining, on either side.
package struct JoiningSuccess: Sendable {
    /// The account both are in now.
    package let account: AccountID
    /// The channel on which it happened.
    package let link: JoiningLink
}

/// The reason why no device joined, on either side.
package enum JoiningFailure: Error, Sendable {
    /// The other device, or the offer, refuses; the key is that of the channel, if there was one.
    case refused(PairingRefusal, to: JoiningKey?)
    /// The ticket was tried too often.
    case tooManyAttempts
    /// The device that asked was removed from this account.
    case deviceRemoved(DeviceID)
    /// The device that asked could not be added.
    case notAdded(any Error)
    /// This device has zones, and may not write in the account that it asks.
    case zonesInTheWay
    /// This device's account has other devices.
    case accountHasDevices
    /// The account could not be entered.
    case notEntered(any Error)
}

/// A thing that a driver does for a ``JoiningCore``, in this order.
package enum JoiningEffect: Sendable {
    /// Send a message.
    case send(SessionID, PeerMessage)
    /// End a channel.
    case close(SessionID, SyncCloseCode)
    /// The purpose of a channel is decided: its connection has the limits of that.
    case setRoom(SessionID, JoiningLink.Role, JoiningKey)
    /// Other keys open channels for joining from now on.
    case keysChanged
    /// The account log has another device.
    case accountChanged
    /// This device is one of another account from now on; the device at the other end of the channel is called there.
    case accountReplaced(JoiningLink)
    /// A device was admitted on a channel.
    case admitted(JoiningLink)
    /// Something failed that is worth a line in a log.
    case failed(String, (any Error)?)
}

/// The joining in progress, on both sides: the open offer, the tokens, the search, and the channels.
///
/// A value without a clock, a disk or a network: facts go in, effects come out, and changes that must be durable
/// first go through a ``JoiningAccount``. The messages, in their order:
///
/// ```
/// joining                                    offering
///    | -- handshake under the key ------------>  |   the ticket's (ten minutes; 64 that are finished), the token's, the words'
///    | -- pairRequest or recoverRequest ------>  |   five attempts with a ticket; the handshake's certificate
///    | <- pairTerms(role) --------------------  |   only for another role than full; who agrees asks again
///    | <- accountEntries ---------------------  |   of a log that is too long for the welcome, in as many messages as it takes
///    | <- pairWelcome(secrets, account log) --  |   durable before it is sent
///    | -- pairDone -------------------------->  |   durable before it is sent
/// ```
package struct JoiningCore: Sendable {
    /// An offer with the role that it gives.
    package struct Offer: Sendable {
        /// The ticket, and its state.
        package fileprivate(set) var offer: PairingOffer
        /// The role of the device that is admitted.
        package let role: DeviceRole
    }

    /// A ticket that is no longer valid.
    ///
    /// Its channel is still opened for a while, so that a person who types it learns the reason at once instead of
    /// searching in vain.
    package struct Retired: Sendable {
        /// The ticket.
        package let ticket: PairingTicket
        /// The reason.
        package let refusal: PairingRefusal
        /// The time at which it is dropped, in milliseconds since 1970.
        let end: UInt64
    }

    /// A search for a device that admits this one.
    package struct Search: Sendable {
        /// The key under which it calls.
        package let key: JoiningKey
        /// The key that signs this device into the account, when it joins by the recovery words.
        package let recoveryKey: RecoveryKey?
        /// The required beginning of the account's name; empty when any will do.
        package let accountPrefix: String
        /// Whether no caller waits for it, so that it gives way to a search with a caller.
        package let isUnattended: Bool
        /// Whether this device has zones, which it could not take along into an account in which it may not write.
        package var hasZones = true
        /// A number that distinguishes it from the search that replaced it.
        package fileprivate(set) var number: UInt64 = 0
        /// Its end, once there is one.
        package internal(set) var outcome: Result<JoiningSuccess, JoiningFailure>?

        /// Describes a search.
        package init(
            key: JoiningKey,
            recoveryKey: RecoveryKey? = nil,
            accountPrefix: String = "",
            isUnattended: Bool = false
        ) {
            self.key = key
            self.recoveryKey = recoveryKey
            self.accountPrefix = accountPrefix
            self.isUnattended = isUnattended
        }

        /// Whether the search may be for this account.
        package func isFor(_ account: AccountID) -> Bool { account.text.hasPrefix(accountPrefix) }
    }

    /// Outcomes kept for late callers; older ones are dropped.
    package static let outcomeCountMax = 8
    /// Tickets that are answered with a reason; older ones are forgotten.
    ///
    /// With the fleet's, the offer's, and those of the recovery words and of eight enrolment tokens the channel tries 23 keys
    /// at most.
    package static let retiredCountMax = 8

    /// The open offer.
    package internal(set) var offer: Offer?
    /// Tickets that ended, oldest first.
    package private(set) var retired: [Retired] = []
    /// The search in progress.
    package var search: Search?
    private var searchCount: UInt64 = 0
    /// The enrolment tokens that are good for something.
    package internal(set) var enrolments = EnrolmentBook()
    private var outcomes: [(ticket: String, outcome: Result<JoiningSuccess, JoiningFailure>)] = []
    /// The channels on which devices join.
    package private(set) var links: [SessionID: JoiningLink] = [:]

    /// Creates an idle core.
    package init() {}

    /// Whether a channel is for joining.
    package func isJoining(on id: SessionID) -> Bool { links[id] != nil }

    /// Whether this side is asking another device for admission just now.
    package var isAsking: Bool { links.values.contains { $0.role == .joining } }

    /// Whether a device was admitted by the open offer and has not confirmed it yet.
    var isWelcoming: Bool { links.values.contains { $0.isWelcomed && isOpen($0.key.ticket) } }

    // MARK: The search

    /// Begins a search, and ends the present one.
    /// - Returns: Its number.
    package mutating func begin(_ new: Search) -> UInt64 {
        searchCount += 1
        search = new
        search?.number = searchCount
        return searchCount
    }

    /// Whether another search may not begin now.
    package func isSearching(against new: Search) -> Bool {
        guard let search else { return false }
        return isAsking || !search.isUnattended || new.isUnattended
    }

    /// Ends a search, and the channel on which this device asks: after a refusal no device may admit it any more.
    ///
    /// Another search that has replaced it continues.
    package mutating func endSearch(_ number: UInt64, into effects: inout [JoiningEffect]) {
        guard search?.number == number else { return }
        search = nil
        for id in links.keys.sorted() where links[id]?.role == .joining { close(id, .goodbye, into: &effects) }
    }

    // MARK: Channels

    mutating func insert(_ link: JoiningLink) {
        assert(links[link.session] == nil, "a channel for joining opens once")
        links[link.session] = link
    }

    mutating func remove(_ id: SessionID) -> JoiningLink? { links.removeValue(forKey: id) }

    /// Assembles a long message.
    /// - Returns: The complete message; `nil` while parts are missing.
    /// - Throws: `MessageAssembly.Fault`.
    mutating func assemble(
        _ message: PeerMessage,
        on id: SessionID,
        of kinds: Set<LongMessage>
    ) throws(MessageAssembly.Fault) -> PeerMessage? {
        try links[id]?.arriving.take(message, of: kinds)
    }

    /// Keeps entries of an account log that is too long for a welcome.
    /// - Returns: Whether they may come at this place.
    mutating func keep(_ entries: AccountEntries, from link: JoiningLink) -> Bool {
        links[link.session]?.log.add(entries, of: link.payload.account) ?? false
    }

    mutating func told(_ id: SessionID) { links[id]?.hasHeardTerms = true }

    mutating func welcomed(_ id: SessionID) { links[id]?.isWelcomed = true }

    mutating func close(_ id: SessionID, _ code: SyncCloseCode, into effects: inout [JoiningEffect]) {
        guard links.removeValue(forKey: id) != nil else { return }
        effects.append(.close(id, code))
    }

    /// Ends the channels with accounts that are blocked.
    package mutating func refuse(_ accounts: Set<AccountID>, into effects: inout [JoiningEffect]) {
        for (id, link) in links.sorted(by: { $0.key < $1.key }) where accounts.contains(link.payload.account) {
            close(id, .refused, into: &effects)
        }
    }

    // MARK: The offer

    /// Begins an offer; an earlier one ends.
    package mutating func beginOffer(
        _ ticket: PairingTicket,
        role: DeviceRole,
        at wall: UInt64,
        into effects: inout [JoiningEffect]
    ) {
        endOffer(.failure(.refused(.used, to: nil)), refusal: .used, at: wall, into: &effects)
        offer = Offer(offer: PairingOffer(ticket: ticket, at: wall), role: role)
        effects.append(.keysChanged)
    }

    /// Ends the offer when it has expired, and forgets expired tickets and tokens.
    package mutating func endExpired(
        at wall: UInt64,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        // A redeemed ticket has no time left either; its outcome is there when the other side has confirmed it.
        if let offer = offer?.offer, !isWelcoming, offer.remaining(at: wall) == 0 {
            endOffer(.failure(.refused(.expired, to: nil)), refusal: .expired, at: wall, into: &effects)
        }
        var book = enrolments
        if book.forgetExpired(at: wall) { keepIfPossible(book, in: account, into: &effects) }
        let count = retired.count
        retired.removeAll { $0.end <= wall }
        if retired.count < count { effects.append(.keysChanged) }
    }

    /// Whether this is the ticket of the open offer.
    package func isOpen(_ ticket: [UInt8]) -> Bool { offer?.offer.ticket.identifier == ticket }

    /// The reason why a ticket is no longer valid; `nil` when none was ever given, or it is forgotten.
    func refusal(of ticket: [UInt8]) -> PairingRefusal? { retired.last { $0.ticket.identifier == ticket }?.refusal }

    /// Counts a handshake that was finished under the open offer's ticket.
    mutating func handshakeFinished(at wall: UInt64) -> PairingOffer.Outcome? {
        offer?.offer.handshakeFinished(at: wall)
    }

    /// Counts an attempt with the open offer's ticket.
    mutating func attemptBegan(at wall: UInt64) -> PairingOffer.Outcome? { offer?.offer.attemptBegan(at: wall) }

    /// Uses up the open offer's ticket.
    mutating func redeem(at wall: UInt64) -> PairingOffer.Outcome? { offer?.offer.redeem(at: wall) }

    /// Ends the open offer, if there is one: a caller gets its outcome, and a device that still brings its ticket
    /// learns the reason.
    mutating func endOffer(
        _ outcome: Result<JoiningSuccess, JoiningFailure>,
        refusal: PairingRefusal,
        at wall: UInt64,
        into effects: inout [JoiningEffect]
    ) {
        guard let ended = offer else { return }
        offer = nil
        outcomes.append((ended.offer.ticket.text, outcome))
        if outcomes.count > Self.outcomeCountMax { outcomes.removeFirst() }
        retired.append(
            Retired(
                ticket: ended.offer.ticket,
                refusal: refusal,
                end: wall &+ PairingOffer.lifetimeMilliseconds
            )
        )
        if retired.count > Self.retiredCountMax { retired.removeFirst() }
        assert(!isOpen(ended.offer.ticket.identifier), "a ticket that has ended admits nobody")
        assert(
            self.refusal(of: ended.offer.ticket.identifier) == refusal,
            "a ticket that has ended is refused with its reason"
        )
        effects.append(.keysChanged)
    }

    /// The outcome of an offer; `nil` while it is open or if there never was one.
    package func outcome(of ticket: String) -> Result<JoiningSuccess, JoiningFailure>? {
        outcomes.last { $0.ticket == ticket }?.outcome
    }

    // MARK: Tokens

    /// Takes the tokens as a file has them.
    package mutating func load(_ book: EnrolmentBook, into effects: inout [JoiningEffect]) {
        enrolments = book
        effects.append(.keysChanged)
    }

    /// Writes the tokens down; a failure leaves the old ones.
    package mutating func keep(
        _ book: EnrolmentBook,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) throws {
        try account.keep(book)
        load(book, into: &effects)
    }

    /// Takes other tokens whether or not they can be written down: removed ones admit no device after a restart
    /// either, since they have expired or their channel leads into another account.
    mutating func keepIfPossible(
        _ book: EnrolmentBook,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        do {
            try keep(book, in: account, into: &effects)
        } catch {
            effects.append(.failed("enrolment tokens not written", error))
            load(book, into: &effects)
        }
    }
}

extension JoiningFailure: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .refused(let refusal, _): "the other side refuses: \(refusal)"
        case .tooManyAttempts: "the ticket was tried too often"
        case .deviceRemoved(let device): "the device \(device.shortText) was removed from this account for good"
        case .notAdded(let error): "the device could not be added: \(error)"
        case .zonesInTheWay: "this device has zones, and would not have the right to write in the other account"
        case .accountHasDevices: "this device's account has other devices"
        case .notEntered(let error): "the account could not be joined: \(error)"
        }
    }
}
