package import Identity
package import Session
package import Sync
package import Wire

// Joining an account, and taking part in zones by invitations: the cores decide, and their effects are performed here.
extension PeerCore {
    // MARK: Joining

    /// Begins a search for a device that admits this one; the present one ends.
    /// - Parameters:
    ///   - search: The search.
    ///   - secret: The secret under which this device calls.
    /// - Returns: The number of the search.
    package mutating func beginSearch(_ search: JoiningCore.Search, under secret: ChannelSecret) -> UInt64 {
        self.search.admission = AddressSearch.Admission(secret: secret)
        return joining.begin(search)
    }

    /// Ends a search, and the channel on which this device asks; another search that has replaced it continues.
    /// - Parameters:
    ///   - number: The number of the search.
    ///   - turn: The step.
    package mutating func endSearch(_ number: UInt64, in turn: inout Turn) {
        guard joining.search?.number == number else { return }
        search.admission = nil
        changeJoining(in: &turn) { $0.endSearch(number, into: &$2) }
    }

    /// Begins an offer; an earlier one ends.
    /// - Parameters:
    ///   - ticket: The ticket.
    ///   - role: The role of the device that is admitted.
    ///   - turn: The step.
    package mutating func beginOffer(_ ticket: PairingTicket, role: DeviceRole, in turn: inout Turn) {
        changeJoining(in: &turn) { $0.beginOffer(ticket, role: role, at: $1.wall, into: &$2) }
    }

    /// Takes the enrolment tokens as a file has them.
    /// - Parameters:
    ///   - book: The tokens.
    ///   - turn: The step.
    package mutating func load(_ book: EnrolmentBook, in turn: inout Turn) {
        changeJoining(in: &turn) { $0.load(book, into: &$2) }
    }

    /// Replaces the enrolment tokens.
    /// - Parameters:
    ///   - book: The tokens.
    ///   - turn: The step.
    /// - Throws: An error of the disk; then the old ones stay.
    package mutating func keep(_ book: EnrolmentBook, in turn: inout Turn) throws {
        var effects: [JoiningEffect] = []
        try joining.keep(book, in: turn.account, into: &effects)
        for effect in effects { perform(effect, in: &turn) }
    }

    /// Ends the offer when its time is over, and forgets tickets and tokens that ended.
    package mutating func endExpiredOffers(in turn: inout Turn) {
        guard joining.offer != nil || !joining.retired.isEmpty || !joining.enrolments.offers.isEmpty else { return }
        changeJoining(in: &turn) { $0.endExpired(at: $1.wall, in: $1.account, into: &$2) }
    }

    mutating func joiningOpened(
        _ channel: PeerChannel<Address>,
        _ certificate: VerifiedCertificate,
        _ payload: HandshakePayload,
        isSearch: Bool,
        in turn: inout Turn
    ) {
        guard let key = JoiningKey(channel.handshake.purpose) else {
            return turn.effects.append(.close(channel.id, .violation))
        }
        let link = JoiningLink(
            session: channel.id,
            role: isSearch ? .joining : .offering,
            certificate: certificate,
            payload: payload,
            key: key,
            binding: channel.handshake.handshakeHash
        )
        if isSearch { admitting[channel.id] = channel.address(payload.listenPort) }
        var effects: [JoiningEffect] = []
        joining.opened(link, at: turn.wall, in: turn.account, random: &turn.random, into: &effects)
        for effect in effects { perform(effect, in: &turn) }
    }

    mutating func changeJoining(in turn: inout Turn, _ body: (inout JoiningCore, Turn, inout [JoiningEffect]) -> Void) {
        var effects: [JoiningEffect] = []
        body(&joining, turn, &effects)
        for effect in effects { perform(effect, in: &turn) }
    }

    private mutating func perform(_ effect: JoiningEffect, in turn: inout Turn) {
        switch effect {
        case .send(let id, let message): turn.effects.append(.send(id, message))
        case .close(let id, let code): turn.effects.append(.close(id, code))
        case .setRoom(let id, let role, let key): turn.effects.append(.setRoom(id, DoorRoom(role, key)))
        case .keysChanged: turn.effects.append(.secretsChanged)
        case .accountChanged: accountChanged(suppliesKeys: true, in: &turn)
        case .accountReplaced(let link): accountReplaced(by: link, in: &turn)
        case .admitted(let link): turn.effects.append(.report(.admitted(link)))
        case .failed(let text, let error): turn.effects.append(.report(.joiningFailed(text, error)))
        }
    }

    /// Starts afresh for another account.
    private mutating func accountReplaced(by link: JoiningLink, in turn: inout Turn) {
        assert(link.role == .joining, "the device that asked has entered the other's account")
        assert(link.payload.account == turn.account.accountState.account, "the account is that of the other device")
        leaveSessions(in: &turn)
        sync.accountReplaced(turn.account.accountState.account)
        rendezvous = RendezvousKeys()
        book = BookFacts()
        offers = ZoneOffers()
        toldFleetKey = nil
        rendezvousChanged(in: &turn)
        turn.effects.append(.accountReplaced)
        accountChanged(suppliesKeys: true, in: &turn)
        turn.effects.append(.readBook)
        guard let address = admitting[link.session] else { return }
        let route = PeerRoute(address: address, key: .account)
        sessions.directory.remember(link.certificate.device, addresses: [route])
    }

    // MARK: Invitations

    /// Invitations that may wait for an answer.
    package static var invitationCountMax: Int { InvitationCore<Address>.attemptCountMax }

    /// Begins to try an invitation, or continues.
    /// - Parameters:
    ///   - link: The invitation.
    ///   - wall: The time at which it was opened, in milliseconds since 1970.
    /// - Returns: False when there are too many already.
    package mutating func open(_ link: InviteLink, at wall: UInt64) -> Bool { invitations.begin(link, at: wall) }

    /// Notes that a program waits for the answer to an invitation, or waits no longer.
    /// - Parameters:
    ///   - invite: The invitation.
    ///   - isWatched: Whether a program waits.
    package mutating func watch(_ invite: [UInt8], isWatched: Bool) {
        if isWatched { invitations.watch(invite) } else { invitations.unwatch(invite) }
    }

    /// Forgets an opened invitation.
    /// - Parameters:
    ///   - invite: The invitation.
    ///   - turn: The step.
    package mutating func forget(_ invite: [UInt8], in turn: inout Turn) {
        invitations.end(invite)
        turn.effects.append(.keepInvitations)
    }

    mutating func invitationOpened(
        _ channel: PeerChannel<Address>,
        _ certificate: VerifiedCertificate,
        _ payload: HandshakePayload,
        in turn: inout Turn
    ) {
        guard case .invite(let invite) = channel.handshake.purpose else { return }
        let link = InvitationCore<Address>.Link(
            session: channel.id,
            role: channel.dial == nil ? .answering : .asking,
            device: certificate.device,
            account: payload.account,
            invite: invite,
            address: channel.dial.flatMap { _ in channel.address(payload.listenPort) }
        )
        changeInvitations(in: &turn) { $0.opened(link, in: $1.account, into: &$2) }
    }

    /// Takes the decision about a request to take part in a zone, which is durable.
    /// - Parameters:
    ///   - outcome: The decision.
    ///   - id: The channel of the request.
    ///   - turn: The step.
    package mutating func decided(_ outcome: RedemptionOutcome, on id: SessionID, in turn: inout Turn) {
        changeInvitations(in: &turn) { $0.decided(outcome, on: id, in: $1.account, into: &$2) }
    }

    /// Takes a relay's answer to a claim.
    /// - Parameters:
    ///   - claimed: The answer.
    ///   - turn: The step.
    package mutating func heard(_ claimed: ClaimedUse, in turn: inout Turn) {
        changeInvitations(in: &turn) { $0.heard(claimed, in: $1.account, into: &$2) }
    }

    /// Takes the news that a zone in which this account takes part by an invitation is stored.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - turn: The step.
    package mutating func entered(_ zone: InvitedZone<Address>, in turn: inout Turn) {
        let route = PeerRoute(address: zone.address, key: PeerKey.zone(zone.zone))
        sessions.directory.remember(zone.device, addresses: [route])
        sessions.directory.forgetRefusals()
        changeInvitations(in: &turn) { $0.entered(zone, into: &$2) }
    }

    mutating func changeInvitations(
        in turn: inout Turn,
        _ body: (inout InvitationCore<Address>, Turn, inout [InvitationEffect<Address>]) -> Void
    ) {
        var effects: [InvitationEffect<Address>] = []
        body(&invitations, turn, &effects)
        for effect in effects { perform(effect, in: &turn) }
    }

    private mutating func perform(_ effect: InvitationEffect<Address>, in turn: inout Turn) {
        switch effect {
        case .send(let id, let message): turn.effects.append(.send(id, message))
        case .close(let id, let code): turn.effects.append(.close(id, code))
        case .setRoom(let id): turn.effects.append(.setRoom(id, .invitation))
        case .redeem(let id, let attempt, let claimed): turn.effects.append(.redeem(id, attempt, claimed: claimed))
        case .grantClaimed(let claimed): turn.effects.append(.grantClaimed(claimed))
        case .claim(let claim): turn.effects.append(.claim(claim, isAwaited: true))
        case .contactChanged(let account): contactChanged(account, in: &turn)
        case .enter(let zone): turn.effects.append(.enterZone(zone))
        case .keep: turn.effects.append(.keepInvitations)
        case .report(let report): turn.effects.append(.report(.invitation(report)))
        }
    }
}
