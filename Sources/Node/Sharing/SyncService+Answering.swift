import Identity
import Logging
import Session
import Sodium
import Sync
import Wire

// Invitations, seen from the inviting account: any of its devices answers who asks, by what the account's book says.
//
//     asking                                      answering
//        | -- handshake under the invite's key -->  |
//        | -- joinRequest(account log) ---------->  |   one transaction decides
//        | <- joinAnswer | joinRefusal -----------  |   durable before it is sent
//
// Where a relay counts, the transaction decides that it is asked, and a second one when it has answered or been silent for too long.
extension SyncService {
    /// What the account's book says about whom to let in.
    struct BookFacts: Sendable {
        /// Whose book it is.
        var account: AccountID?
        var invites: [(identifier: [UInt8], secret: ChannelSecret)] = []
        var blocked: Set<AccountID> = []
        /// What relays are to be asked before it is granted.
        var claims: [UseClaim] = []
        /// Whether a request waits for the log of an account: then it is looked through again although nothing changed.
        var awaitsLogs = false
    }

    /// Accounts with which nobody here wants to have to do.
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
        let whole: PeerMessage?
        do {
            whole = try joins.take(message, on: link.connection.id)
        } catch {
            dependencies.logger.notice("parts of no message about an invitation", metadata: ["error": "\(error)"])
            closeInvitation(link.connection.id, .violation)
            return
        }
        guard let whole else {
            // Whoever asks comes again in seconds.
            if joins.holdsTooMuch { closeInvitation(link.connection.id, .busy) }
            return
        }
        switch (link.role, whole) {
        case (.answering, .joinRequest(let request)) where link.log == nil && request.account == link.account:
            answer(request, on: link)
        case (.asking, .joinAnswer(let answer)):
            heard(answer, on: link)
        case (.asking, .joinRefusal(let refusal)):
            heard(refusal, on: link)
        default:
            closeInvitation(link.connection.id, .violation)
        }
    }

    /// Sends the question or the answer of a channel.
    func sendInvitation(_ message: PeerMessage, on link: JoinDesk.Link) {
        do throws(WireError) {
            try link.connection.send(message)
        } catch {
            // An account with too long a log can neither ask nor answer.
            dependencies.logger.error("a message about an invitation is too long", metadata: ["error": "\(error)"])
            closeInvitation(link.connection.id, .goodbye)
        }
    }

    func closeInvitation(_ id: ConnectionID, _ code: SyncCloseCode) {
        joins.remove(id)?.connection.close(code: code.rawValue)
    }

    private func answer(_ request: JoinRequest, on link: JoinDesk.Link) {
        let log: AccountLog
        do {
            // Together with what is known of the account already: its log may have been removed from.
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
            var outcome = RedemptionOutcome.refused(.busy)
            let notice = try replica.change(&transaction) { committer, random, transaction in
                let redeemed = try committer.redeem(
                    attempt,
                    claimed: claimed,
                    random: &random,
                    in: &transaction
                )
                outcome = redeemed.outcome
                return redeemed.notice
            }
            return (notice, outcome)
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            switch result {
            case .success(let value):
                guard let (notice, outcome) = value as? (StoreNotice, RedemptionOutcome) else { return }
                replica.announce(notice)
                mailbox.put(.redeemed(id, outcome))
            case .failure(let error):
                replica.announce(result)
                logger.error("invitation not answered", metadata: ["error": "\(error)"])
                mailbox.put(.redeemed(id, .refused(.busy)))
            }
        }
        if !accepted { decided(.refused(.busy), on: id) }
    }

    /// Tells what was decided, and ends the channel.
    func decided(_ outcome: RedemptionOutcome, on id: ConnectionID) {
        guard let link = joins.links[id] else { return }
        if case .claim(let claim) = outcome {
            mail.put(.claim(claim, isAwaited: true))
            return
        }
        // A device that only reads notes no request, and so bounds nothing: it keeps whom it lets in, and nobody who waits.
        if let log = link.log, outcome.isKept(isNoted: dependencies.replica.committer.mayWrite) {
            let contacts = dependencies.identity.contacts
            let before = contacts[link.account]?.revision
            do {
                _ = try contacts.insert(log.entries, of: link.account)
                // A device that waits for an approval asks each second.
                if contacts[link.account]?.revision != before { mailbox.put(.contactChanged(link.account)) }
            } catch {
                // It comes again with the next question, or the next session.
                dependencies.logger.error("account of an invitation not kept", metadata: ["error": "\(error)"])
            }
        }
        let entries = dependencies.identity.log(of: dependencies.identity.account)?.entries ?? []
        sendInvitation(outcome.message(entries: entries), on: link)
        closeInvitation(id, .goodbye)
        dependencies.logger.info(
            "invitation answered",
            metadata: ["account.id": "\(link.account.shortText)", "outcome": "\(outcome.name)"]
        )
    }

    /// Takes what a relay said to a claim: those who wait for it are answered, or, if nobody does any more, what is noted is granted.
    func heard(_ claimed: ClaimedUse) {
        let id = claimed.claim.id
        let waiting = joins.links.values.compactMap { link -> (JoinAttempt, ConnectionID)? in
            // Since it asked, what is known of the account may have become more: a device of it may have been removed.
            guard link.role == .answering, link.invite == id.invite, link.account == id.account, let asked = link.log,
                let log = try? dependencies.identity.contacts.merged(asked.entries, of: link.account)
            else { return nil }
            return (JoinAttempt(account: log.state, device: link.device, invite: link.invite), link.connection.id)
        }
        for (attempt, connection) in waiting { redeem(attempt, claimed: claimed, for: connection) }
        guard waiting.isEmpty, claimed.answer == .held else { return }
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try $0.settle(claimed, random: &$1, in: &$2) }
        } completion: { [replica = dependencies.replica, logger = dependencies.logger] result in
            replica.announce(result)
            if case .failure(let error) = result {
                // Whoever asks again is granted it: the slot holds what it holds.
                logger.error("a use that was claimed is not granted", metadata: ["error": "\(error)"])
            }
        }
    }

    // MARK: The book

    /// Grants what waits for this device, and reads who is invited and who is blocked.
    ///
    /// What it grants changes the book, so it comes here again, and finds nothing more to do.
    func bookChanged() {
        mail.put(.bookMayHaveChanged)
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            var facts = BookFacts()
            let notice = try replica.change(&transaction) { committer, random, transaction in
                let settled = try committer.settleRedemptions(random: &random, in: &transaction)
                facts.claims = settled.claims
                facts.awaitsLogs = settled.awaitsLogs
                return settled.notice
            }
            let committer = replica.committer
            facts.account = committer.account.account
            facts.blocked = Set(try committer.blocked(transaction).map(\.account))
            facts.invites = try committer.answeredInvites(in: transaction).map { invite in
                let purpose = ChannelSecret.Purpose.invite(identifier: invite.identifier)
                return (invite.identifier, ChannelSecret(purpose: purpose, key: invite.secret.presharedKey()))
            }
            return (notice, facts)
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            switch result {
            case .success(let value):
                guard let (notice, facts) = value as? (StoreNotice, BookFacts) else { return }
                replica.announce(notice)
                mailbox.put(.bookRead(facts))
            case .failure(let error):
                // The book's next change, or the next start, does it again.
                logger.error("invitations not looked through", metadata: ["error": "\(error)"])
            }
        }
    }

    /// After a round of maintenance: what waits for the log of an account may have waited long enough.
    func bookMayBeDue() {
        if bookFacts.awaitsLogs { bookChanged() }
    }

    func bookRead(_ facts: BookFacts, into effects: inout [SyncEffect]) {
        // Read just before the account was replaced.
        guard facts.account == dependencies.identity.account else { return }
        // Whoever is let in again was refused until now.
        if !bookFacts.blocked.isSubset(of: facts.blocked) { directory.forgetRefusals() }
        for claim in facts.claims { mail.put(.claim(claim, isAwaited: false)) }
        bookFacts = facts
        acceptSharingSecrets()
        for (id, link) in links where facts.blocked.contains(link.account) && !link.isClosing {
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
        dependencies.identity.setSharingSecrets(bookFacts.invites.map(\.secret) + doors.secrets)
    }
}

extension RedemptionOutcome {
    /// Whether the asking account is to be known from now on.
    /// - Parameter isNoted: Whether a request that waits is in the book.
    /// - Returns: True for whom this device lets in, and for whoever waits in the book.
    fileprivate func isKept(isNoted: Bool) -> Bool {
        switch self {
        case .joined: true
        case .waitingApproval, .waitingInviter, .waitingRelay, .claim: isNoted
        case .refused: false
        }
    }

    /// A word for the log: what is decided, and none of the zone's secrets.
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
