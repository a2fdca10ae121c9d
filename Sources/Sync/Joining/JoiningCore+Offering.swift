import Identity
import Sodium
package import Wire

// Joining, from the view of the device that admits others.
extension JoiningCore {
    /// A channel under a key of joining was opened.
    /// - Parameters:
    ///   - link: The channel.
    ///   - wall: The time now, in milliseconds since 1970.
    ///   - account: The account of this device.
    ///   - random: The source of nonces.
    ///   - effects: Receives the effects.
    package mutating func opened(
        _ link: JoiningLink,
        at wall: UInt64,
        in account: some JoiningAccount,
        random: inout some RandomNumberGenerator,
        into effects: inout [JoiningEffect]
    ) {
        if link.role == .joining {
            joiningOpened(link, in: account, random: &random, into: &effects)
            return
        }
        if case .ticket(let ticket) = link.key, !mayAsk(under: ticket, at: wall, into: &effects) {
            effects.append(.close(link.session, .refused))
            return
        }
        insert(link)
        effects.append(.setRoom(link.session, link.role, link.key))
    }

    /// A message, or a part of one, came on a channel for joining.
    package mutating func received(
        _ message: PeerMessage,
        on id: SessionID,
        at wall: UInt64,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        guard let link = links[id] else { return }
        let whole: PeerMessage
        do {
            // Only an account log may be long, and nothing of it is read before all of it is there.
            let kinds: Set<LongMessage> = link.role == .joining ? [.pairWelcome, .accountEntries] : []
            guard let message = try assemble(message, on: id, of: kinds) else { return }
            whole = message
        } catch {
            effects.append(.failed("invalid parts of a message while joining", error))
            close(id, .violation, into: &effects)
            return
        }
        switch (link.role, whole) {
        case (.offering, .pairRequest(let request)) where !link.isWelcomed:
            requested(link, request, at: wall, in: account, into: &effects)
        case (.offering, .recoverRequest(let request)) where !link.isWelcomed:
            recovers(link, request, in: account, into: &effects)
        case (.offering, .pairDone) where link.isWelcomed:
            endUsedOffer(link, at: wall, in: account, into: &effects)
            close(id, .goodbye, into: &effects)
        case (.joining, .pairTerms(let terms)):
            hear(terms, on: link, in: account, into: &effects)
        case (.joining, .accountEntries(let entries)) where keep(entries, from: link):
            break
        case (.joining, .pairWelcome(let welcome)):
            enter(link, welcome, at: wall, in: account, into: &effects)
        case (.joining, .pairRefusal(let refusal)):
            search?.outcome = .failure(.refused(PairingRefusal(code: refusal.code), to: link.key))
            close(id, .goodbye, into: &effects)
        default:
            effects.append(.failed("unexpected message \(whole.tag) while joining", nil))
            close(id, .violation, into: &effects)
        }
    }

    /// A channel has ended.
    package mutating func closed(
        _ id: SessionID,
        at wall: UInt64,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        guard let link = remove(id), link.role == .offering, link.isWelcomed else { return }
        // It was admitted and then lost: it will connect by itself, or ask again with another ticket.
        endUsedOffer(link, at: wall, in: account, into: &effects)
    }

    /// Ends the open offer if a device was admitted by its ticket.
    private mutating func endUsedOffer(
        _ link: JoiningLink,
        at wall: UInt64,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        guard isOpen(link.key.ticket) else { return }
        let success = JoiningSuccess(account: account.accountState.account, link: link)
        endOffer(.success(success), refusal: .used, at: wall, into: &effects)
    }

    /// Counts a handshake under a ticket.
    /// - Returns: Whether the asking device is answered: also under a ticket that has ended, to learn the reason.
    private mutating func mayAsk(
        under ticket: [UInt8],
        at wall: UInt64,
        into effects: inout [JoiningEffect]
    ) -> Bool {
        guard isOpen(ticket) else { return refusal(of: ticket) != nil }
        if handshakeFinished(at: wall) == .tooManyAttempts { endForAttempts(at: wall, into: &effects) }
        return true
    }

    /// Ends the open offer, since its ticket was tried too often.
    private mutating func endForAttempts(at wall: UInt64, into effects: inout [JoiningEffect]) {
        endOffer(.failure(.tooManyAttempts), refusal: .attempts, at: wall, into: &effects)
    }

    /// Counts an attempt: a channel under the ticket's key whose other end asks for admission.
    /// - Returns: The reason why it may not continue; `nil` when it may.
    private mutating func beginAttempt(
        _ link: JoiningLink,
        at wall: UInt64,
        into effects: inout [JoiningEffect]
    ) -> PairingRefusal? {
        guard isOpen(link.key.ticket) else { return refusal(of: link.key.ticket) ?? .failed }
        switch attemptBegan(at: wall) {
        case .accepted: return nil
        case .expired:
            endOffer(.failure(.refused(.expired, to: nil)), refusal: .expired, at: wall, into: &effects)
            return .expired
        case .tooManyAttempts:
            endForAttempts(at: wall, into: &effects)
            return .attempts
        case .used: return .used
        case nil: return .failed
        }
    }

    private mutating func requested(
        _ link: JoiningLink,
        _ request: PairRequest,
        at wall: UInt64,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        let refusal: PairingRefusal?
        let role: DeviceRole?
        switch link.key {
        case .ticket(let ticket):
            let isOpen = isOpen(ticket)
            // It asks a second time when it has received the terms; that is still the same attempt.
            refusal = link.hasHeardTerms && isOpen ? nil : beginAttempt(link, at: wall, into: &effects)
            role = isOpen ? offer?.role : nil
        case .enrolment(let token):
            refusal = nil
            role = enrolments.role(of: token)
        case .recovery:
            close(link.session, .violation, into: &effects)
            return
        }
        if let refusal = refusal ?? (request.certificate == link.certificate.signed.encoded ? nil : .failed) {
            refuse(link, refusal, into: &effects)
        } else if let role, role != .full, !link.hasHeardTerms {
            told(link.session)
            effects.append(.send(link.session, .pairTerms(PairTerms(role: role))))
        } else if case .enrolment(let token) = link.key {
            letIn(link, token: token, at: wall, in: account, into: &effects)
        } else {
            letIn(link, role: role ?? .full, at: wall, in: account, into: &effects)
        }
    }

    /// Lets a device in by the open offer.
    private mutating func letIn(
        _ link: JoiningLink,
        role: DeviceRole,
        at wall: UInt64,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        let device = link.certificate.device
        // The people at both ends learn the reason, and the way out.
        guard account.accountState.standing(of: device) != .removed else {
            endOffer(.failure(.deviceRemoved(device)), refusal: .used, at: wall, into: &effects)
            refuse(link, .removed, into: &effects)
            return
        }
        guard redeem(at: wall) == .accepted else {
            refuse(link, .used, into: &effects)
            return
        }
        do {
            try account.add(link.certificate, role: role)
        } catch {
            effects.append(.failed("device not added", error))
            endOffer(.failure(.notAdded(error)), refusal: .failed, at: wall, into: &effects)
            refuse(link, .failed, into: &effects)
            return
        }
        welcome(link, in: account, into: &effects)
    }

    /// Lets a device in that has a token.
    private mutating func letIn(
        _ link: JoiningLink,
        token: [UInt8],
        at wall: UInt64,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        let standing = account.accountState.standing(of: link.certificate.device)
        guard standing != .removed else {
            refuse(link, .removed, into: &effects)
            return
        }
        guard account.mayAdd else {
            refuse(link, .failed, into: &effects)
            return
        }
        var book = enrolments
        do {
            switch book.redeem(token, isMember: standing != .unknown, at: wall) {
            case .accepted(let role):
                // On the disk first: a crash in between costs a use and admits no device twice.
                try keep(book, in: account, into: &effects)
                try account.add(link.certificate, role: role)
                effects.append(.accountChanged)
            case .known: break
            case .used:
                refuse(link, .used, into: &effects)
                return
            case .unknown:
                refuse(link, .expired, into: &effects)
                return
            }
        } catch {
            effects.append(.failed("device not enrolled", error))
            refuse(link, .failed, into: &effects)
            return
        }
        welcome(link, in: account, into: &effects)
    }

    /// Lets a device in that brings an entry by the recovery key.
    private mutating func recovers(
        _ link: JoiningLink,
        _ request: RecoverRequest,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        guard case .recovery(let key) = link.key else {
            close(link.session, .violation, into: &effects)
            return
        }
        let state = account.accountState
        guard key == state.recoveryKey.bytes, state.standing(of: account.device) != .removed else {
            refuse(link, .replaced, into: &effects)
            return
        }
        do {
            try account.recover(link.certificate, with: request.entry)
        } catch {
            effects.append(.failed("device not recovered", error))
            refuse(link, Self.refusal(recoveryFailed: error), into: &effects)
            return
        }
        welcome(link, in: account, into: &effects)
    }

    private static func refusal(recoveryFailed error: any Error) -> PairingRefusal {
        switch error {
        case AccountError.deviceRemoved: .removed
        case AccountError.otherRecoveryKey: .replaced
        default: .failed
        }
    }

    /// Hands the account over to a device that is in it now.
    private mutating func welcome(
        _ link: JoiningLink,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        welcomed(link.session)
        for message in PeerMessage.pairWelcome(account.welcome()).withLogAhead(of: account.accountState.account) {
            effects.append(.send(link.session, message))
        }
        effects.append(.accountChanged)
        effects.append(.admitted(link))
    }

    private mutating func refuse(
        _ link: JoiningLink,
        _ refusal: PairingRefusal,
        into effects: inout [JoiningEffect]
    ) {
        effects.append(.send(link.session, .pairRefusal(PairRefusal(code: refusal.rawValue))))
        close(link.session, .refused, into: &effects)
    }
}
