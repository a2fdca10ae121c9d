import Identity
import Logging
import Session
import Sodium
import Sync
import Wire

// Pairing, seen from the device that offers: a ticket is the pre-shared key of one channel, on which this device signs the
// other one into the account log and hands over the account's secrets.
//
//     joining                                    offering
//        | -- handshake under the ticket's key -->  |   ten minutes; 64 that are finished
//        | -- pairRequest(certificate) ---------->  |   five attempts; the handshake's certificate; redeemed once
//        | <- pairTerms(role) --------------------  |   only for another role than full; who agrees asks again
//        | <- pairWelcome(secrets, account log) --  |   durable before it is sent
//        | -- pairDone -------------------------->  |   durable before it is sent
//
// Both then show six words derived from the handshake hash.
extension SyncService {
    /// Begins an offer; an earlier one ends.
    func beginOffer(role: DeviceRole) throws(NodeError) -> PairingOfferStatus {
        try checkMayAdd()
        let now = dependencies.clock.wall()
        endOffer(.failure(PairingRefusal.used.told), refusal: .used)
        let ticket = PairingTicket(using: &random)
        let secret = ChannelSecret(purpose: .ticket(identifier: ticket.identifier), key: ticket.presharedKey())
        pairing.open(PairingDesk.Offer(offer: PairingOffer(ticket: ticket, at: now), secret: secret, role: role))
        dependencies.identity.setTicketSecrets(pairing.secrets)
        do {
            return PairingOfferStatus(
                ticket: ticket.text,
                qrCode: try ticket.qrCode().terminalText(),
                expiresMilliseconds: now + PairingOffer.lifetimeMilliseconds
            )
        } catch {
            throw NodeError(.internalError, "The ticket could not be drawn.", fix: "Report this.")
        }
    }

    /// How an offer stands.
    /// - Returns: `nil` while it is open.
    func offerOutcome(_ text: String) throws(NodeError) -> PairingOutcome? {
        let ticket = try Self.parse(text)
        endOfferIfExpired()
        if let outcome = pairing.outcome(of: ticket.text) { return try outcome.get() }
        guard pairing.isOpen(ticket.identifier) else {
            throw NodeError(.ticketNotFound, "No offer with this ticket is open here.", fix: "Run `kairan pair offer`.")
        }
        return nil
    }

    /// Ends the offer when its time is over, and forgets tickets that ended long ago.
    func endOfferIfExpired() {
        let now = dependencies.clock.wall()
        // A ticket that was redeemed has no time left either; its outcome is there when the other side has said so.
        if let offer = pairing.offer?.offer, !pairing.isWelcoming, offer.remaining(at: now) == 0 {
            endOffer(.failure(PairingRefusal.expired.told), refusal: .expired)
        }
        forgetEnrolments(expiredAt: now)
        if pairing.forgetRetired(at: now) { dependencies.identity.setTicketSecrets(pairing.secrets) }
    }

    func pairingOpened(
        _ connection: any PeerConnection,
        certificate: VerifiedCertificate,
        account: AccountID,
        isSearch: Bool
    ) {
        let link = PairingDesk.Link(
            connection: connection,
            role: isSearch ? .joining : .offering,
            certificate: certificate,
            account: account,
            purpose: connection.handshake.purpose
        )
        if isSearch {
            joiningOpened(link)
            return
        }
        if case .ticket(let ticket) = link.purpose, !mayAsk(under: ticket) {
            connection.close(code: SyncCloseCode.refused.rawValue)
            return
        }
        pairing.insert(link)
        connection.settle(in: DoorRoom(link.purpose))
    }

    /// Counts a handshake under a ticket.
    /// - Returns: Whether whoever made it is heard: also under a ticket that has ended, to be told why.
    private func mayAsk(under ticket: [UInt8]) -> Bool {
        guard pairing.isOpen(ticket) else { return pairing.refusal(of: ticket) != nil }
        if pairing.handshakeFinished(at: dependencies.clock.wall()) == .tooManyAttempts { endOfferForAttempts() }
        return true
    }

    /// Ends the open offer, since its ticket was tried too often.
    private func endOfferForAttempts() {
        let error = NodeError(
            .ticketAttempts,
            "This ticket was tried too often, and nobody was let in.",
            fix: "Run `kairan pair offer` again; find out who tried."
        )
        endOffer(.failure(error), refusal: .attempts)
    }

    func pairingReceived(_ message: PeerMessage, on id: ConnectionID) {
        guard let link = pairing.links[id] else { return }
        switch (link.role, message) {
        case (.offering, .pairRequest(let request)) where !link.isWelcomed:
            requested(link, request)
        case (.offering, .recoverRequest(let request)) where !link.isWelcomed:
            letIn(link, request)
        case (.offering, .pairDone) where link.isWelcomed:
            if pairing.isOpen(link.ticket) { endOffer(.success(outcome(of: link)), refusal: .used) }
            closePairing(id, .goodbye)
        case (.joining, .pairTerms(let terms)):
            hear(terms, on: link)
        case (.joining, .pairWelcome(let welcome)):
            enter(link, welcome)
        case (.joining, .pairRefusal(let refusal)):
            pairing.search?.outcome = .failure(PairingRefusal(code: refusal.code).told(to: link.purpose))
            closePairing(id, .goodbye)
        default:
            dependencies.logger.notice("unexpected message while pairing", metadata: ["tag": "\(message.tag)"])
            closePairing(id, .violation)
        }
    }

    func pairingClosed(_ id: ConnectionID) {
        guard let link = pairing.remove(id), link.role == .offering, link.isWelcomed, pairing.isOpen(link.ticket) else {
            return
        }
        // It was let in and then lost: it will show up by itself, or ask again with another ticket.
        endOffer(.success(outcome(of: link)), refusal: .used)
    }

    /// Counts an attempt: a channel under the ticket's key whose other end asks to be let in.
    /// - Returns: Why it may not go on; `nil` when it may.
    private func beginAttempt(_ link: PairingDesk.Link) -> PairingRefusal? {
        let now = dependencies.clock.wall()
        guard pairing.isOpen(link.ticket) else { return pairing.refusal(of: link.ticket) ?? .failed }
        switch pairing.attemptBegan(at: now) {
        case .accepted: return nil
        case .expired:
            endOffer(.failure(PairingRefusal.expired.told), refusal: .expired)
            return .expired
        case .tooManyAttempts:
            endOfferForAttempts()
            return .attempts
        case .used: return .used
        case nil: return .failed
        }
    }

    private func requested(_ link: PairingDesk.Link, _ request: PairRequest) {
        let refusal: PairingRefusal?
        let role: DeviceRole?
        switch link.purpose {
        case .ticket(let ticket):
            let isOpen = pairing.isOpen(ticket)
            // It asks a second time when it has heard the terms; that is still the same attempt.
            refusal = link.hasHeardTerms && isOpen ? nil : beginAttempt(link)
            role = isOpen ? pairing.offer?.role : nil
        case .enrolment(let token):
            refusal = nil
            role = pairing.enrolments.role(of: token)
        default:
            closePairing(link.connection.id, .violation)
            return
        }
        if let refusal = refusal ?? (request.certificate == link.certificate.signed.encoded ? nil : .failed) {
            refusePairing(link, refusal)
        } else if let role, role != .full, !link.hasHeardTerms {
            pairing.told(link.connection.id)
            link.connection.send(PeerMessage.pairTerms(PairTerms(role: role)).encoded)
        } else if case .enrolment(let token) = link.purpose {
            letIn(link, token: token)
        } else {
            letIn(link, role: role ?? .full)
        }
    }

    private func letIn(_ link: PairingDesk.Link, role: DeviceRole) {
        // Both people are told why, and the way out.
        guard dependencies.identity.standing(of: link.certificate.device) != .removed else {
            let error = NodeError(
                .forbidden,
                "The device \(link.certificate.device.text) was removed from this account, and a removal is for ever.",
                fix: PairingRefusal.removedDevice.fix
            )
            endOffer(.failure(error), refusal: .used)
            refusePairing(link, .removed)
            return
        }
        guard pairing.redeem(at: dependencies.clock.wall()) == .accepted else {
            refusePairing(link, .used)
            return
        }
        do {
            try dependencies.identity.add(link.certificate, role: role)
        } catch {
            dependencies.logger.error("device not let in", metadata: ["error": "\(error)"])
            endOffer(.failure(Self.told(addingFailed: error)), refusal: .failed)
            refusePairing(link, .failed)
            return
        }
        welcome(link)
    }

    /// Hands the account over to a device that is in it now.
    func welcome(_ link: PairingDesk.Link) {
        pairing.welcomed(link.connection.id)
        link.connection.send(PeerMessage.pairWelcome(dependencies.identity.welcome()).encoded)
        mailbox.put(.accountChanged)
        dependencies.logger.notice(
            "device let in",
            metadata: ["peer.id": "\(link.certificate.device.shortText)"]
        )
    }

    static func told(addingFailed error: any Error) -> NodeError {
        switch error {
        case AccountError.notAllowed:
            NodeError(
                .forbidden,
                "This device may not add others.",
                fix: "Do it on a device of the account with the role full (`kairan device ls`)."
            )
        case let error as PrivateFile.Failure where error.isDiskFull:
            NodeError(.diskFull, "No space is left on the disk.", fix: "Make space; nothing was written.")
        default:
            NodeError(.storageFailed, "The device could not be let in.", fix: "See the daemon's log.")
        }
    }

    /// Ends the open offer, if there is one.
    func endOffer(_ outcome: Result<PairingOutcome, NodeError>, refusal: PairingRefusal) {
        pairing.close(outcome, refusal: refusal, at: dependencies.clock.wall())
        dependencies.identity.setTicketSecrets(pairing.secrets)
    }

    func refusePairing(_ link: PairingDesk.Link, _ refusal: PairingRefusal) {
        link.connection.send(PeerMessage.pairRefusal(PairRefusal(code: refusal.rawValue)).encoded)
        closePairing(link.connection.id, .refused)
    }

    func closePairing(_ id: ConnectionID, _ code: SyncCloseCode) {
        guard let link = pairing.remove(id) else { return }
        link.connection.close(code: code.rawValue)
    }

    func outcome(of link: PairingDesk.Link) -> PairingOutcome {
        PairingOutcome(
            account: dependencies.identity.account,
            device: link.certificate.device,
            name: link.certificate.certificate.name,
            words: FingerprintWords.six(from: link.connection.handshake.handshakeHash)
        )
    }

    static func parse(_ text: String) throws(NodeError) -> PairingTicket {
        do {
            return try PairingTicket(typed: text)
        } catch {
            throw NodeError(
                .ticketMalformed,
                "The ticket is mistyped: \(error).",
                fix: "Compare it group by group with what the other device shows."
            )
        }
    }
}
