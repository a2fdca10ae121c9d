import Identity
import Session
package import Sync
package import Wire

// Channels: the device at the other end, whether the channel may stay, and its messages.
extension PeerCore {
    /// Takes a channel that was opened.
    /// - Parameters:
    ///   - channel: The channel.
    ///   - turn: The step.
    package mutating func opened(_ channel: PeerChannel<Address>, in turn: inout Turn) {
        assert(sessions[channel.id] == nil && !invitations.isOpen(channel.id), "a channel is opened once")
        let isSearch = search.connected(channel.dial)
        let gate = PeerGate(
            device: turn.account.certificate.device,
            log: turn.account.log,
            contacts: turn.account.contactLogs,
            parties: rendezvous.order.parties,
            open: rendezvous.order.open,
            blocked: book.blocked,
            newest: newest,
            pins: sessions.directory.pins
        )
        var effects: [SessionEffect] = []
        sessions.opened(
            channel.gated,
            dial: channel.dial,
            gate: gate,
            routes: routes(turn.account),
            at: turn.now,
            random: &turn.random,
            address: { channel.address($0.listenPort) },
            into: &effects
        )
        for effect in effects {
            switch effect {
            case .join(_, let certificate, let payload):
                joiningOpened(channel, certificate, payload, isSearch: isSearch, in: &turn)
            case .invite(_, let certificate, let payload):
                invitationOpened(channel, certificate, payload, in: &turn)
            case .report(.noCertificate):
                perform(effect, in: &turn)
                violated("no valid certificate from \(channel.origin)", on: nil, in: &turn)
            default:
                perform(effect, in: &turn)
            }
        }
        for case .report(.opened(let opening, let payload)) in effects { enterIfNewer(payload, of: opening, in: &turn) }
    }

    /// Enters a certificate that a device of this account which may not write in its log has made itself.
    private mutating func enterIfNewer(_ payload: HandshakePayload, of opening: SessionOpening, in turn: inout Turn) {
        guard opening.account == turn.account.accountState.account, opening.standing == .active else { return }
        do {
            guard try turn.account.enter(VerifiedCertificate(bytes: payload.certificate)) else { return }
            turn.effects.append(.report(.certificateEntered(opening.device)))
            accountChanged(suppliesKeys: true, in: &turn)
        } catch {
            // It is shown again in the next session.
            turn.effects.append(.report(.certificateNotEntered(opening.device, error)))
        }
    }

    /// Reports that the other end of a channel broke the protocol where the synchronisation core does not see it.
    mutating func violated(_ reason: String, on id: SessionID?, in turn: inout Turn) {
        feed(.anomaliesFound(id, [Anomaly(.violation, detail: reason)]), in: &turn)
    }

    private mutating func perform(_ effects: [SessionEffect], in turn: inout Turn) {
        for effect in effects { perform(effect, in: &turn) }
    }

    private mutating func perform(_ effect: SessionEffect, in turn: inout Turn) {
        switch effect {
        case .feed(let input): feed(input, in: &turn)
        case .close(let id, let code): turn.effects.append(.close(id, code))
        case .write(let change): turn.effects.append(.write(change))
        case .heardClock(let wall, let device, let account, let time):
            turn.effects.append(.heardClock(wall, of: device, account, at: time))
        case .report(let report): turn.effects.append(.report(.session(report)))
        case .join(let id, _, _), .invite(let id, _, _): assertionFailure("channel \(id) was opened before")
        }
    }

    /// Takes a message of a channel.
    /// - Parameters:
    ///   - bytes: Its encoding.
    ///   - id: The channel.
    ///   - turn: The step.
    package mutating func received(_ bytes: [UInt8], on id: SessionID, in turn: inout Turn) {
        let message: PeerMessage
        do {
            message = try PeerMessage(decoding: bytes)
        } catch {
            turn.effects.append(.report(.malformed(id, error)))
            violated("malformed message: \(error)", on: id, in: &turn)
            if sessions[id] == nil { turn.effects.append(.close(id, .violation)) }
            close(id, .violation, in: &turn)
            return
        }
        if joining.isJoining(on: id) {
            changeJoining(in: &turn) { $0.received(message, on: id, at: $1.wall, in: $1.account, into: &$2) }
        } else if invitations.isOpen(id) {
            changeInvitations(in: &turn) { $0.received(message, on: id, at: $1.now, in: $1.account, into: &$2) }
        } else if sessions.isOpen(id) {
            feed(.received(id, message, byteCount: bytes.count), in: &turn)
        }
    }

    /// Takes the end of a channel.
    /// - Parameters:
    ///   - id: The channel.
    ///   - isRefused: Whether the other side closed it with the code ``SyncCloseCode/refused``.
    ///   - turn: The step.
    package mutating func closed(_ id: SessionID, isRefused: Bool, in turn: inout Turn) {
        changeJoining(in: &turn) { $0.closed(id, at: $1.wall, in: $1.account, into: &$2) }
        admitting[id] = nil
        invitations.closed(id)
        guard let session = sessions[id] else { return }
        let isSharing = sync.shares(with: session.device, of: session.account)
        var effects: [SessionEffect] = []
        sessions.closed(
            id,
            isRefused: isRefused,
            routes: routes(turn.account),
            at: turn.now,
            random: &turn.random,
            shares: isSharing,
            into: &effects
        )
        perform(effects, in: &turn)
    }

    mutating func close(_ id: SessionID, _ code: SyncCloseCode, in turn: inout Turn) {
        var effects: [SessionEffect] = []
        sessions.close(id, code, into: &effects)
        perform(effects, in: &turn)
    }

    /// Ends all sessions with a goodbye, since the process ends.
    /// - Parameter turn: The step.
    package mutating func sayGoodbye(in turn: inout Turn) {
        var effects: [SessionEffect] = []
        sessions.sayGoodbye(at: turn.now, into: &effects)
        perform(effects, in: &turn)
    }

    mutating func leaveSessions(in turn: inout Turn) {
        var effects: [SessionEffect] = []
        sessions.leaveAccount(into: &effects)
        perform(effects, in: &turn)
    }

    /// Notes the meetings with devices that are known as members now.
    mutating func rememberMembers(in turn: inout Turn) {
        var effects: [SessionEffect] = []
        sessions.rememberMembers(routes: routes(turn.account), at: turn.now, into: &effects)
        perform(effects, in: &turn)
    }

    // MARK: The effects of the synchronisation core

    mutating func perform(_ effect: SyncEffect, in turn: inout Turn) {
        switch effect {
        case .send(let id, let message):
            if sessions.isOpen(id) { turn.effects.append(.send(id, message)) }
        case .read(let question): turn.effects.append(.read(question))
        case .write(let change): turn.effects.append(.write(change))
        case .offerZone(let account, let terms): offered(terms, by: account, in: &turn)
        case .insertAccountEntries(let id, let account, let entries):
            insert(entries, of: account, from: id, in: &turn)
        case .takeRecoverySecret(let secret):
            turn.account.offer(secret)
            keepRecoverySecret(in: &turn)
        case .takeFleetSecret(let secret):
            turn.account.offer(secret)
            updateFleetKeys(in: &turn)
        case .readAccountEntries(let id, let account, let heads):
            let entries = turn.account.log(of: account)?.entries(notIn: heads) ?? []
            feed(.accountEntriesRead(id, account, entries), in: &turn)
        case .serveGuestWrite(let id, let write): serve(write, on: id, in: &turn)
        case .guestWriteSettled(let id, let settlement): turn.effects.append(.guestWriteSettled(id, settlement))
        case .evictionSettled(let id, let outcome): turn.effects.append(.evictionSettled(id, outcome))
        case .holdersFound(let id, let answers): turn.effects.append(.holdersFound(id, answers))
        case .mailSettled(let id, let outcome): turn.effects.append(.mailSettled(id, outcome))
        case .probe(let id, let number): turn.effects.append(.probe(id, number: number))
        case .setPlace(let id, let place): turn.effects.append(.setRoom(id, DoorRoom(place)))
        case .close(let id, let code, let reason):
            sessions.closing(id)
            turn.effects.append(.report(.closing(id, code, reason: reason)))
            turn.effects.append(.close(id, code))
        case .report(let report):
            if case .measured(let device, _, let skew) = report { measured(device, skew: skew, in: &turn) }
            turn.effects.append(.report(.sync(report)))
        case .transfer(let step): turn.effects.append(.transfer(step))
        }
    }

    /// Takes a measurement of a member's clock, which also shows that the member is still connected.
    private mutating func measured(_ device: DeviceID, skew: Int64, in turn: inout Turn) {
        var effects: [SessionEffect] = []
        sessions.measured(device, skewMilliseconds: skew, at: turn.now, wall: turn.wall, into: &effects)
        perform(effects, in: &turn)
    }

    private mutating func serve(_ write: GuestWrite, on id: SessionID, in turn: inout Turn) {
        guard let session = sessions[id] else {
            // The core holds the request until it is answered.
            let answer = SyncInput.guestWriteServed(id, write.zone, number: write.number, .refused(.busy))
            return feed(answer, in: &turn)
        }
        turn.effects.append(.serveGuestWrite(id, write, from: session.device, of: session.account))
    }

    private mutating func offered(_ terms: ZoneTerms, by account: AccountID, in turn: inout Turn) {
        // For a zone that this account is to own as well, the claim of an account is not trusted.
        if terms.genesis.partner != nil, !turn.account.derives(terms) { return }
        guard offers.insert(terms, by: account, at: turn.wall) else { return }
        turn.effects.append(.report(.offered(ZoneID(terms.genesis), by: account)))
    }

    /// Accepts an offer.
    /// - Parameter zone: The zone.
    package mutating func accepted(_ zone: ZoneID) { offers.remove(zone) }
}
