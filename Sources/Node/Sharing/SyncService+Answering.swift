import Identity
import Logging
import Peering
import Session
import Sodium
import Sync
import Wire

// Invitations, seen from the inviting account: any of its devices answers requests, according to the account's book.
//
//     asking                                      answering
//        | -- handshake under the invite's key -->  |
//        | -- joinRequest(account log) ---------->  |   one transaction decides
//        | <- joinAnswer | joinRefusal -----------  |   durable before it is sent
//
// A log that is too long for its message goes ahead of it.
//
// Where a relay counts the uses, the transaction decides to ask it, and a second one follows its answer or too long a
// silence.
extension SyncService {
    /// The facts of the account's book about invited and blocked accounts.
    struct BookFacts: Sendable {
        /// The owner of the book.
        var account: AccountID?
        var invites: [(identifier: [UInt8], secret: ChannelSecret)] = []
        var blocked: Set<AccountID> = []
        /// The claims that relays are to be asked about before a right is granted.
        var claims: [UseClaim] = []
        /// Whether a request waits for the log of an account: then it is looked through again although nothing changed.
        var awaitsLogs = false
    }

    /// The accounts that this account has blocked.
    var blockedAccounts: Set<AccountID> { bookFacts.blocked }

    func invitationOpened(
        _ connection: any PeerConnection,
        certificate: VerifiedCertificate,
        payload: HandshakePayload
    ) {
        guard case .invite(let invite) = connection.handshake.purpose else { return }
        let link = JoinDesk.Link(
            connection: connection,
            role: connection.dial == nil ? .answering : .asking,
            device: certificate.device,
            account: payload.account,
            invite: invite
        )
        if link.role == .asking {
            askingOpened(link)
            return
        }
        joins.insert(link)
        connection.settle(in: .invitation)
    }

    func invitationReceived(_ message: PeerMessage, on link: JoinDesk.Link) {
        let arrival: InvitationMessages.Arrival
        do {
            arrival = try joins.take(message, on: link.connection.id)
        } catch {
            dependencies.logger.notice("a message about an invitation cannot be read", metadata: ["error": "\(error)"])
            closeInvitation(link.connection.id, .violation)
            return
        }
        switch arrival {
        case .incomplete: break
        // The asking device comes again in seconds.
        case .tooMuch: closeInvitation(link.connection.id, .busy)
        case .message(let whole): invitationHeard(whole, on: link)
        }
    }

    private func invitationHeard(_ message: PeerMessage, on link: JoinDesk.Link) {
        switch (link.role, message) {
        case (.answering, .joinRequest(let request)) where request.account == link.account:
            answer(request, on: link)
        case (.asking, .joinAnswer(let answer)):
            heard(answer, on: link)
        case (.asking, .joinRefusal(let refusal)):
            heard(refusal, on: link)
        default:
            closeInvitation(link.connection.id, .violation)
        }
    }

    /// Sends the question or the answer of a channel, with an account log that does not fit into it ahead of it.
    /// - Returns: Whether it is a single message.
    @discardableResult
    func sendInvitation(_ message: PeerMessage, on link: JoinDesk.Link) -> Bool {
        let messages = message.withLogAhead(of: dependencies.identity.account)
        do throws(WireError) {
            for message in messages { try link.connection.send(message) }
        } catch {
            dependencies.logger.error(
                "a message about an invitation that no peer would accept is not sent",
                metadata: ["error": "\(error)"]
            )
            closeInvitation(link.connection.id, .goodbye)
        }
        return messages.count == 1
    }

    func closeInvitation(_ id: ConnectionID, _ code: SyncCloseCode) {
        joins.remove(id)?.connection.close(code: code.rawValue)
    }

    private func answer(_ request: JoinRequest, on link: JoinDesk.Link) {
        let log: AccountLog
        do {
            // Merged with the known log of the account: a device of it may have been removed since.
            log = try dependencies.identity.contacts.merged(request.entries, of: link.account)
        } catch {
            dependencies.logger.notice("account of an invitation refused", metadata: ["error": "\(error)"])
            decided(.refused(.badAccount), on: link.connection.id)
            return
        }
        joins.asked(link.connection.id, with: log)
        redeem(JoinAttempt(account: log.state, device: link.device, invite: link.invite), for: link.connection.id)
    }

    private func redeem(_ attempt: JoinAttempt, claimed: ClaimedUse? = nil, for id: ConnectionID) {
        let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { committer, random, transaction in
                let redeemed = try Redemptions(committer).redeem(
                    attempt,
                    claimed: claimed,
                    random: &random,
                    in: &transaction
                )
                return Changed(redeemed.outcome, notice: redeemed.notice)
            }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success(let redeemed): mailbox.put(.redeemed(id, redeemed.reply))
            case .failure(let error):
                logger.error("invitation not answered", metadata: ["error": "\(error)"])
                mailbox.put(.redeemed(id, .refused(.busy)))
            }
        }
        if !accepted { decided(.refused(.busy), on: id) }
    }

    /// Sends the decision, and ends the channel.
    func decided(_ outcome: RedemptionOutcome, on id: ConnectionID) {
        guard let link = joins.links[id], !link.isAnswered else { return }
        if case .claim(let claim) = outcome {
            mail.put(.claim(claim, isAwaited: true))
            return
        }
        // A device that only reads notes no request, and so bounds nothing: it keeps accounts that it lets in, and
        // none that wait.
        if let log = link.log, outcome.keeps(log, isNoted: dependencies.replica.committer.mayWrite) {
            let contacts = dependencies.identity.contacts
            let before = contacts[link.account]?.revision
            do {
                _ = try contacts.insert(log.entries, of: link.account)
                // A device that waits for an approval asks each second.
                if contacts[link.account]?.revision != before { mailbox.put(.contactChanged(link.account)) }
            } catch {
                // It comes again with the next question, or the next session.
                dependencies.logger.error("account of an invitation not stored", metadata: ["error": "\(error)"])
            }
        }
        let entries = dependencies.identity.log(of: dependencies.identity.account)?.entries ?? []
        if sendInvitation(outcome.message(entries: entries), on: link) {
            closeInvitation(id, .goodbye)
        } else {
            // A goodbye has no more than a second; the asking device says it, or the channel's time is over.
            joins.answered(id)
        }
        dependencies.logger.info(
            "invitation answered",
            metadata: ["account.id": "\(link.account.shortText)", "outcome": "\(outcome.name)"]
        )
    }

    /// Takes a relay's answer to a claim: waiting requests are answered, or, if none waits any more, the noted one is
    /// granted.
    func heard(_ claimed: ClaimedUse) {
        let id = claimed.claim.id
        let waiting = joins.links.values.compactMap { link -> (JoinAttempt, ConnectionID)? in
            // Since it asked, the known log of the account may have grown: a device of it may have been removed.
            guard link.role == .answering, link.invite == id.invite, link.account == id.account, let asked = link.log,
                let log = try? dependencies.identity.contacts.merged(asked.entries, of: link.account)
            else { return nil }
            return (JoinAttempt(account: log.state, device: link.device, invite: link.invite), link.connection.id)
        }
        for (attempt, connection) in waiting { redeem(attempt, claimed: claimed, for: connection) }
        guard waiting.isEmpty, claimed.answer == .held else { return }
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try Redemptions($0).settle(claimed, random: &$1, in: &$2) }
        } completion: { [replica = dependencies.replica, logger = dependencies.logger] result in
            replica.announce(result)
            if case .failure(let error) = result {
                // An account that asks again is granted it: the claimed slot is kept.
                logger.error("a use that was claimed is not granted", metadata: ["error": "\(error)"])
            }
        }
    }

    // MARK: The book

    /// Grants the requests that wait for this device, and reads the invited and the blocked accounts.
    ///
    /// A grant changes the book, so this is called again, and finds nothing more to do.
    func bookChanged() {
        mail.put(.bookMayHaveChanged)
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { committer, random, transaction in
                let settled = try Redemptions(committer).settle(random: &random, in: &transaction)
                var facts = BookFacts()
                facts.claims = settled.claims
                facts.awaitsLogs = settled.awaitsLogs
                facts.account = committer.account.account
                facts.blocked = Set(try Blocklist(committer).all(transaction).map(\.account))
                facts.invites = try Invitations(committer).answered(in: transaction).map { invite in
                    let purpose = ChannelSecret.Purpose.invite(identifier: invite.identifier)
                    return (invite.identifier, ChannelSecret(purpose: purpose, key: invite.secret.presharedKey()))
                }
                return Changed(facts, notice: settled.notice)
            }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success(let read): mailbox.put(.bookRead(read.reply))
            case .failure(let error):
                // The book's next change, or the next start, does it again.
                logger.error("invitations could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Called after a round of maintenance: requests that wait for the log of an account may have waited long enough.
    func bookMayBeDue() {
        if bookFacts.awaitsLogs { bookChanged() }
    }

    func bookRead(_ facts: BookFacts, into effects: inout [SyncEffect]) {
        // Read just before the account was replaced.
        guard facts.account == dependencies.identity.account else { return }
        // An account that is let in again was refused until now.
        if !bookFacts.blocked.isSubset(of: facts.blocked) { sessions.directory.forgetRefusals() }
        for claim in facts.claims { mail.put(.claim(claim, isAwaited: false)) }
        bookFacts = facts
        acceptSharingSecrets()
        for (id, link) in links where facts.blocked.contains(link.account) && sessions.isOpen(id) {
            dependencies.logger.notice("account is blocked", metadata: ["account.id": "\(link.account.shortText)"])
            close(id, .refused, into: &effects)
        }
        for (id, link) in joins.links where facts.blocked.contains(link.account) { closeInvitation(id, .refused) }
        var joining: [JoiningEffect] = []
        pairing.core.refuse(facts.blocked, into: &joining)
        perform(joining)
    }

    /// Takes connections under invitations and shared zones.
    func acceptSharingSecrets() {
        dependencies.identity.setSharingSecrets(bookFacts.invites.map(\.secret) + rendezvous.accepted)
    }
}

extension RedemptionOutcome {
    /// Whether this device keeps the log of the asking account from now on.
    ///
    /// Accounts that only wait are anybody's: many of them with the longest logs would fill memory and disk of all
    /// devices of this account. Of these a long log is not kept. It comes again with the next question.
    /// - Parameters:
    ///   - log: The log.
    ///   - isNoted: Whether a request that waits is in the book.
    /// - Returns: True for an account that this device lets in, and for one with a short log that waits in the book.
    fileprivate func keeps(_ log: AccountLog, isNoted: Bool) -> Bool {
        switch self {
        case .joined: true
        case .waitingApproval, .waitingInviter, .waitingRelay, .claim: isNoted && !log.entries.isLongLog
        case .refused: false
        }
    }

    /// A word for the log: the decision, and none of the zone's secrets.
    fileprivate var name: String {
        switch self {
        case .joined: "joined"
        case .waitingApproval: "waits for approval"
        case .waitingInviter: "waits for the inviting device"
        case .waitingRelay: "waits for the relay"
        case .claim: "the relay is asked"
        case .refused(let code): "refused: \(code)"
        }
    }
}
