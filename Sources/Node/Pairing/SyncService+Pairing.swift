import Identity
import Logging
import Session
import Sodium
import Sync
import Wire

// Pairing: a ticket is the pre-shared key of one channel, on which the device that offers it signs the other one into the
// account log and hands over the account's secrets.
//
//     joining                                    offering
//        | -- handshake under the ticket's key -->  |   five attempts, ten minutes
//        | -- pairRequest(certificate) ---------->  |   the certificate of the handshake; redeemed once
//        | <- pairWelcome(secrets, account log) --  |   durable before it is sent
//        | -- pairDone -------------------------->  |   durable before it is sent
//
// Both then show six words derived from the handshake hash.
extension SyncService {
    /// Begins an offer; an earlier one ends.
    func beginOffer() throws(NodeError) -> PairingOfferStatus {
        let now = dependencies.clock.wall()
        let ticket = PairingTicket(using: &random)
        let secret = ChannelSecret(purpose: .ticket(identifier: ticket.identifier), key: ticket.presharedKey())
        pairing.offer = PairingDesk.Offer(offer: PairingOffer(ticket: ticket, at: now), secret: secret)
        dependencies.identity.setTicketSecret(secret)
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
        if let outcome = pairing.outcome(of: ticket.text) { return try outcome.get() }
        guard let current = pairing.offer, current.offer.ticket == ticket else {
            throw NodeError(.ticketNotFound, "No offer with this ticket is open here.", fix: "Run `kairan pair offer`.")
        }
        // A ticket that was redeemed has no time left either; its outcome is there when the other side has said so.
        if !pairing.isWelcoming, current.offer.remaining(at: dependencies.clock.wall()) == 0 {
            endOffer()
            throw NodeError(
                .ticketExpired,
                "The ticket was good for ten minutes.",
                fix: "Run `kairan pair offer` again."
            )
        }
        return nil
    }

    /// Looks for whoever offers a ticket and joins its account.
    func join(ticket text: String, timeoutMilliseconds: UInt64 = 45_000) async throws(NodeError) -> PairingOutcome {
        let ticket = try Self.parse(text)
        guard dependencies.identity.accountState.activeDevices.count <= 1 else {
            throw NodeError(
                .accountHasDevices,
                "This device's account has other devices.",
                fix: "Remove it there first (`kairan device remove`), or pair the other device into this account."
            )
        }
        guard pairing.search == nil else {
            throw NodeError(.busy, "Another ticket is being looked for.", fix: "Try again in a minute.")
        }
        let secret = ChannelSecret(purpose: .ticket(identifier: ticket.identifier), key: ticket.presharedKey())
        pairing.search = PairingDesk.Search(secret: secret)
        defer { pairing.search = nil }
        let deadline = dependencies.clock.monotonic() + timeoutMilliseconds
        while dependencies.clock.monotonic() < deadline {
            if let outcome = pairing.search?.outcome { return try outcome.get() }
            dialForSearch()
            do {
                try await Task.sleep(for: .milliseconds(100))
            } catch {
                throw NodeError(.notReady, "The daemon is stopping.", fix: "Try again.")
            }
        }
        throw NodeError(
            .ticketNotFound,
            "Nobody who offers this ticket was found.",
            fix: "Check that the other device still shows it, and that both are on one network (`kairan peers`)."
        )
    }

    /// Dials everybody in sight under the ticket's key; all but the one who offers it stay silent.
    private func dialForSearch() {
        guard let transport, var search = pairing.search else { return }
        let now = dependencies.clock.monotonic()
        for address in (sightings.all + directory.searchAddresses).prefix(256) {
            if let last = search.tried[address], now < last + 5_000 { continue }
            guard searchDials.count < 16 else { break }
            search.tried[address] = now
            let dial = makeDial()
            searchDials.insert(dial)
            transport.dial(address, id: dial, secret: search.secret)
        }
        pairing.search = search
    }

    func pairingOpened(_ connection: any PeerConnection, certificate: VerifiedCertificate, isSearch: Bool) {
        if isSearch {
            // One device has several addresses, and the search dials them all: the first channel is the one.
            guard let search = pairing.search, search.outcome == nil, !pairing.isJoining else {
                connection.close(code: SyncCloseCode.goodbye.rawValue)
                return
            }
            pairing.insert(PairingDesk.Link(connection: connection, role: .joining, certificate: certificate))
            let request = PairRequest(
                certificate: dependencies.identity.certificate.signed.encoded,
                account: dependencies.identity.account
            )
            connection.send(PeerMessage.pairRequest(request).encoded)
            return
        }
        guard pairing.offer != nil else {
            connection.close(code: SyncCloseCode.refused.rawValue)
            return
        }
        pairing.insert(PairingDesk.Link(connection: connection, role: .offering, certificate: certificate))
    }

    func pairingReceived(_ message: PeerMessage, on id: ConnectionID) {
        guard let link = pairing.links[id] else { return }
        switch (link.role, message) {
        case (.offering, .pairRequest(let request)):
            letIn(link, request)
        case (.offering, .pairDone) where link.isWelcomed:
            finishOffer(link)
        case (.joining, .pairWelcome(let welcome)):
            enter(link, welcome)
        case (.joining, .pairRefusal):
            pairing.search?.outcome = .failure(
                NodeError(.ticketUsed, "The other device refused the ticket.", fix: "Ask for a new one.")
            )
            closePairing(id, .goodbye)
        default:
            dependencies.logger.notice("unexpected message while pairing", metadata: ["tag": "\(message.tag)"])
            closePairing(id, .violation)
        }
    }

    func pairingClosed(_ id: ConnectionID) {
        guard let link = pairing.remove(id), link.role == .offering, link.isWelcomed, let offer = pairing.offer else {
            return
        }
        // It was let in and then lost: it will show up by itself, or ask again with another ticket.
        pairing.finish(offer.offer.ticket.text, .success(outcome(of: link)))
        endOffer()
    }

    /// Counts an attempt: a channel under the ticket's key whose other end asks to be let in.
    private func beginAttempt() -> Bool {
        guard let text = pairing.offer?.offer.ticket.text,
            let outcome = pairing.offer?.offer.attemptBegan(at: dependencies.clock.wall())
        else { return false }
        if outcome == .tooManyAttempts {
            let error = NodeError(
                .ticketAttempts,
                "Five devices tried this ticket and none was let in.",
                fix: "Run `kairan pair offer` again."
            )
            pairing.finish(text, .failure(error))
            endOffer()
        }
        return outcome == .accepted
    }

    private func letIn(_ link: PairingDesk.Link, _ request: PairRequest) {
        guard beginAttempt() else {
            link.connection.send(PeerMessage.pairRefusal(PairRefusal(code: 1)).encoded)
            closePairing(link.connection.id, .refused)
            return
        }
        let isSame = request.certificate == link.certificate.signed.encoded
        guard isSame, pairing.offer?.offer.redeem(at: dependencies.clock.wall()) == .accepted else {
            link.connection.send(PeerMessage.pairRefusal(PairRefusal(code: 1)).encoded)
            closePairing(link.connection.id, .refused)
            return
        }
        do {
            try dependencies.identity.add(link.certificate, role: .full)
        } catch {
            dependencies.logger.error("device not let in", metadata: ["error": "\(error)"])
            link.connection.send(PeerMessage.pairRefusal(PairRefusal(code: 2)).encoded)
            let failure = NodeError(.storageFailed, "The device could not be let in.", fix: "See the daemon's log.")
            if let text = pairing.offer?.offer.ticket.text { pairing.finish(text, .failure(failure)) }
            endOffer()
            closePairing(link.connection.id, .refused)
            return
        }
        pairing.welcomed(link.connection.id)
        link.connection.send(PeerMessage.pairWelcome(dependencies.identity.welcome()).encoded)
        mailbox.put(.accountChanged)
        dependencies.logger.notice(
            "device let in",
            metadata: ["peer.id": "\(link.certificate.device.shortText)"]
        )
    }

    private func finishOffer(_ link: PairingDesk.Link) {
        if let text = pairing.offer?.offer.ticket.text { pairing.finish(text, .success(outcome(of: link))) }
        endOffer()
        closePairing(link.connection.id, .goodbye)
    }

    private func endOffer() {
        pairing.offer = nil
        dependencies.identity.setTicketSecret(nil)
    }

    private func enter(_ link: PairingDesk.Link, _ welcome: PairWelcome) {
        do {
            guard let genesis = welcome.entries.first else { throw AccountError.notGenesis }
            var log = try AccountLog(genesis: genesis)
            try log.insert(contentsOf: Array(welcome.entries.dropFirst()))
            guard case .active = log.state.standing(of: dependencies.identity.device),
                case .active = log.state.standing(of: link.certificate.device)
            else { throw AccountError.notAllowed }
            let keyring = try AccountKeyring(
                fleetKey: welcome.secrets.fleetKey,
                accountSalt: welcome.secrets.accountSalt,
                zoneKey: welcome.secrets.zoneKey
            )
            try dependencies.identity.replaceAccount(log: log, keyring: keyring)
        } catch {
            dependencies.logger.error("account not entered", metadata: ["error": "\(error)"])
            pairing.search?.outcome = .failure(
                NodeError(.storageFailed, "The other device's account could not be entered.", fix: "See the log.")
            )
            closePairing(link.connection.id, .violation)
            return
        }
        link.connection.send(PeerMessage.pairDone.encoded)
        accountReplaced()
        directory.remember(link.certificate.device, addresses: [link.connection.address])
        pairing.search?.outcome = .success(outcome(of: link))
        closePairing(link.connection.id, .goodbye)
    }

    /// Starts afresh for another account; what this device had written is written again there.
    func accountReplaced() {
        for (id, link) in links {
            link.connection.close(code: SyncCloseCode.goodbye.rawValue)
            links[id]?.isClosing = true
        }
        core.accountReplaced(dependencies.identity.account)
        mailbox.put(.accountChanged)
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.moveToCurrentAccount(in: &transaction)
        } completion: { [replica = dependencies.replica, logger = dependencies.logger] result in
            replica.announce(result)
            guard case .failure(let error) = result else { return }
            logger.error("old zones not moved; tried again at the next start", metadata: ["error": "\(error)"])
        }
    }

    private func closePairing(_ id: ConnectionID, _ code: SyncCloseCode) {
        guard let link = pairing.remove(id) else { return }
        link.connection.close(code: code.rawValue)
    }

    private func outcome(of link: PairingDesk.Link) -> PairingOutcome {
        PairingOutcome(
            account: dependencies.identity.account,
            device: link.certificate.device,
            name: link.certificate.certificate.name,
            words: FingerprintWords.six(from: link.connection.handshake.handshakeHash)
        )
    }

    private static func parse(_ text: String) throws(NodeError) -> PairingTicket {
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
