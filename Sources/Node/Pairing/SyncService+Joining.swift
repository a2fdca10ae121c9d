import Identity
import Logging
import Records
import Session
import Sync
import Wire

// Pairing, seen from the device that joins: it looks for whoever offers the ticket, asks, and enters the account.
extension SyncService {
    /// Looks for whoever offers a ticket and joins its account.
    func join(ticket text: String, timeoutMilliseconds: UInt64 = 45_000) async throws(NodeError) -> PairingOutcome {
        let ticket = try Self.parse(text)
        let secret = ChannelSecret(purpose: .ticket(identifier: ticket.identifier), key: ticket.presharedKey())
        return try await join(
            PairingDesk.Search(secret: secret),
            timeoutMilliseconds: timeoutMilliseconds,
            otherwise: NodeError(
                .ticketNotFound,
                "Nobody who offers this ticket was found.",
                fix: "Check that the other device still shows it, and that both are on one network (`kairan peers`)."
            )
        )
    }

    /// Looks for whoever lets this device in and enters the account; what else it has is moved there.
    /// - Parameters:
    ///   - search: What to look for.
    ///   - timeoutMilliseconds: For how long.
    ///   - notFound: What to say when nobody was found.
    /// - Returns: Who let it in.
    /// - Throws: `accountHasDevices`, `busy`, what the other side says, or `notFound`.
    func join(
        _ search: PairingDesk.Search,
        timeoutMilliseconds: UInt64,
        otherwise notFound: NodeError
    ) async throws(NodeError) -> PairingOutcome {
        try checkMayJoin()
        guard !pairing.isSearching(against: search) else {
            throw NodeError(.busy, "Another account is being looked for.", fix: "Try again in a minute.")
        }
        let number = pairing.begin(search)
        do {
            let zones = try await dependencies.storage.read { try $0.zones() }
            pairing.search?.hasZones = zones.contains { $0.state == .live }
        } catch {
            endSearch(number)
            throw NodeError(.storageFailed, "The storage failed; nothing was changed.", fix: "See the daemon's log.")
        }
        let deadline = dependencies.clock.monotonic() + timeoutMilliseconds
        let found = await searchOutcome(number, until: deadline, otherwise: notFound)
        endSearch(number)
        let outcome = try found.get()
        // The zones are moved by jobs that a first job enqueues: behind the second one here all of them are done.
        for _ in 0..<2 {
            do {
                try await dependencies.commits.perform { _ in () }
            } catch {
                // The move is tried again by the maintenance and at the next start; the pairing itself is done.
                dependencies.logger.warning("old zones not moved yet", metadata: ["error": "\(error)"])
            }
        }
        return outcome
    }

    private func checkMayJoin() throws(NodeError) {
        guard isRemoved || dependencies.identity.accountState.activeDevices.count <= 1 else {
            throw NodeError(
                .accountHasDevices,
                "This device's account has other devices.",
                fix: "Remove it there first (`kairan device remove`), or pair the other device into this account."
            )
        }
    }

    /// Dials until an outcome is there.
    ///
    /// Whatever came before the deadline counts, however late this is asked.
    private func searchOutcome(
        _ number: UInt64,
        until deadline: UInt64,
        otherwise notFound: NodeError
    ) async -> Result<PairingOutcome, NodeError> {
        while true {
            guard pairing.search?.number == number else {
                return .failure(NodeError(.busy, "Another search has taken the place of this one.", fix: "Try again."))
            }
            if let outcome = pairing.search?.outcome { return outcome }
            // Whoever is being let in at this moment is waited for a little longer.
            let end = pairing.isJoining ? deadline + 5_000 : deadline
            guard dependencies.clock.monotonic() < end else { break }
            dialForSearch()
            do {
                try await Task.sleep(for: .milliseconds(100))
            } catch {
                return pairing.search?.outcome
                    ?? .failure(NodeError(.notReady, "The search was given up.", fix: "Try again."))
            }
        }
        return .failure(notFound)
    }

    /// Ends the search, and the channel on which this device asks: nobody is let in anywhere after having been told no.
    ///
    /// Another search that has taken its place goes on.
    private func endSearch(_ number: UInt64) {
        guard pairing.search?.number == number else { return }
        pairing.search = nil
        for link in pairing.links.values where link.role == .joining { closePairing(link.connection.id, .goodbye) }
    }

    /// Dials everybody in sight under the search's key; whoever does not know it stays silent.
    private func dialForSearch() {
        guard var search = pairing.search else { return }
        let now = dependencies.clock.monotonic()
        for address in searchAddresses {
            if let last = search.tried[address], now < last + 5_000 { continue }
            guard searchDials.count < 16 else { break }
            search.tried[address] = now
            dialForSearch(address, search.secret, newestVersion)
        }
        pairing.search = search
    }

    func joiningOpened(_ link: PairingDesk.Link) {
        // One device has several addresses, and the search dials them all: the first channel is the one.
        guard let search = pairing.search, search.outcome == nil, !pairing.isJoining,
            search.secret.purpose == link.purpose
        else {
            link.connection.close(code: SyncCloseCode.goodbye.rawValue)
            return
        }
        pairing.insert(link)
        link.connection.settle(in: .joining)
        if let key = search.recoveryKey {
            requestRecovery(link, key)
            return
        }
        requestPairing(link)
    }

    private func requestPairing(_ link: PairingDesk.Link) {
        let request = PairRequest(
            certificate: dependencies.identity.certificate.signed.encoded,
            account: dependencies.identity.account
        )
        link.connection.send(PeerMessage.pairRequest(request).encoded)
    }

    /// Agrees to what this device will be allowed to do, or stays where it is.
    func hear(_ terms: PairTerms, on link: PairingDesk.Link) {
        guard let search = pairing.search, search.recoveryKey == nil, !link.hasHeardTerms else {
            closePairing(link.connection.id, .violation)
            return
        }
        guard terms.role == .full || !search.hasZones else {
            pairing.search?.outcome = .failure(Self.zonesInTheWay)
            closePairing(link.connection.id, .goodbye)
            return
        }
        pairing.told(link.connection.id)
        requestPairing(link)
    }

    private static let zonesInTheWay = NodeError(
        .deviceHasZones,
        "This device has zones of its own, and was offered a place in which it may not write them.",
        fix: "Offer it the role full (`kairan pair offer`), or delete its zones first (`kairan zone delete`)."
    )

    func enter(_ link: PairingDesk.Link, _ welcome: PairWelcome) {
        do {
            // It may have let somebody in itself while it searched.
            try checkMayJoin()
            guard let genesis = welcome.entries.first else { throw AccountError.notGenesis }
            var log = try AccountLog(genesis: genesis)
            try log.insert(contentsOf: Array(welcome.entries.dropFirst()))
            guard case .active(let role) = log.state.standing(of: dependencies.identity.device),
                case .active = log.state.standing(of: link.certificate.device)
            else { throw AccountError.notAllowed }
            if role != .full, pairing.search?.hasZones != false { throw Self.zonesInTheWay }
            if let key = pairing.search?.recoveryKey {
                guard log.state.recoveryKey == key.publicKey, isWanted(log.account) else {
                    throw AccountError.otherRecoveryKey
                }
            }
            let keyring = try AccountKeyring(welcome.secrets)
            try dependencies.identity.replaceAccount(log: log, keyring: keyring)
        } catch {
            dependencies.logger.error("account not entered", metadata: ["error": "\(error)"])
            pairing.search?.outcome = .failure(
                (error as? NodeError)
                    ?? NodeError(
                        .storageFailed,
                        "The other device's account could not be entered.",
                        fix: "See the log."
                    )
            )
            closePairing(link.connection.id, .violation)
            return
        }
        link.connection.send(PeerMessage.pairDone.encoded)
        accountReplaced()
        let route = PeerRoute(address: link.connection.address, key: .account)
        directory.remember(link.certificate.device, addresses: [route])
        pairing.search?.outcome = .success(outcome(of: link))
        closePairing(link.connection.id, .goodbye)
    }

    /// Starts afresh for another account; what this device had written is written again there.
    private func accountReplaced() {
        for (id, link) in links {
            link.connection.close(code: SyncCloseCode.goodbye.rawValue)
            links[id]?.isClosing = true
        }
        // An offer was for the account that was left.
        endOffer(.failure(PairingRefusal.used.told), refusal: .used)
        forgetEnrolments()
        core.accountReplaced(dependencies.identity.account)
        mayWantPayloads = true
        giveUpGuestOrders(closing: false)
        closeDoors()
        // Nobody of this account has been met by this store, and nothing of it is missing here.
        dependencies.replica.recovered()
        dependencies.replica.health.clear("account.removed")
        mailbox.put(.accountChanged)
        dependencies.replica.moveOldZones(through: dependencies.commits)
    }
}
