import Identity
import Logging
import Peering
import Session
import Sodium
import Sync
import Wire

// Invitations, seen from the account that opens one: it asks all devices in sight until one of the inviting account
// answers, and goes on asking as long as the answer names something that has to happen first.
extension SyncService {
    /// The time to wait for a device that answers an invitation, in milliseconds.
    static let answerMilliseconds: UInt64 = 15_000

    /// Opens an invitation.
    /// - Parameters:
    ///   - text: The link.
    ///   - timeoutMilliseconds: The time to wait for a device that answers; attempts continue afterwards.
    /// - Returns: The progress of the joining.
    /// - Throws: `inviteMalformed`, `inviteOwnAccount`, the inviting side's refusal, `joinTooMany`.
    func join(
        invite text: String,
        timeoutMilliseconds: UInt64 = answerMilliseconds
    ) async throws(NodeError) -> JoinStatus {
        let link = try Self.parse(invite: text)
        guard link.account != dependencies.identity.account else { throw Self.told(.ownAccount) }
        guard dependencies.identity.mayWrite else { throw Node.readOnly }
        let invite = link.secret.identifier
        guard joins.begin(link, at: dependencies.clock.wall()) else {
            throw NodeError(
                .joinTooMany,
                "\(JoinDesk.attemptCountMax) invitations wait for an answer already.",
                fix: "`kairan join ls` lists them; abandon one with `kairan join forget`."
            )
        }
        // On the disk first: a link is opened once, and its answer may come after a restart.
        do {
            try keepJoins()
        } catch {
            joins.end(invite)
            throw NodeError(.storageFailed, "The invitation could not be stored.", fix: "See the daemon's log.")
        }
        joins.update(invite) { attempt in
            attempt.isWatched = true
            attempt.tried = [:]
            attempt.state = nil
            attempt.waitsSince = nil
        }
        let deadline = dependencies.clock.monotonic() + timeoutMilliseconds
        let outcome = await joinOutcome(invite, until: deadline)
        joins.update(invite) { $0.isWatched = false }
        return try outcome.get()
    }

    /// Invitations that wait for an answer.
    func waitingJoins() -> [(invite: String, account: AccountID, state: JoinState, opened: UInt64)] {
        joins.attempts.values.sorted { $0.opened < $1.opened }.map { attempt in
            let invite = Base32.encode(attempt.link.secret.identifier)
            return (invite, attempt.link.account, attempt.state ?? .waitingInviter, attempt.opened)
        }
    }

    /// Gives an invitation up.
    /// - Returns: Whether it was there.
    func forgetJoin(_ invite: String) throws(NodeError) -> Bool {
        guard let identifier = Base32.decode(invite), joins.attempts[identifier] != nil else { return false }
        endJoin(identifier)
        return true
    }

    private func joinOutcome(_ invite: [UInt8], until deadline: UInt64) async -> Result<JoinStatus, NodeError> {
        while true {
            guard let attempt = joins.attempts[invite] else {
                return .failure(NodeError(.notReady, "The invitation was abandoned meanwhile.", fix: "Open it again."))
            }
            if let outcome = attempt.outcome {
                endJoin(invite)
                return outcome
            }
            let now = dependencies.clock.monotonic()
            if let state = attempt.settledState(at: now) {
                return .success(JoinStatus(zone: nil, rights: nil, state: state))
            }
            // A device that is answering at this moment is waited for a little longer.
            let end = joins.isAsking(invite) ? deadline + 5_000 : deadline
            guard now < end else { break }
            dialForJoins()
            do {
                try await Task.sleep(for: .milliseconds(50))
            } catch {
                break
            }
        }
        return .success(JoinStatus(zone: nil, rights: nil, state: joins.attempts[invite]?.state ?? .waitingInviter))
    }

    /// Reads the invitations that an earlier run has left.
    func loadJoins() {
        let file = dependencies.identity.files.joins
        do {
            guard var bytes = try file.read() else { return }
            defer { ConstantTime.wipe(&bytes) }
            for join in try JoinFile(decoding: bytes).joins {
                _ = joins.begin(try InviteLink(typed: join.link), at: join.opened)
            }
        } catch {
            dependencies.logger.warning("opened invitations not read", metadata: ["error": "\(error)"])
        }
    }

    /// Dials all devices in sight under the keys of waiting invitations; a device that does not know a key stays
    /// silent.
    func dialForJoins() {
        guard transport != nil, !isRemoved else { return }
        if joins.forgetExpired(at: dependencies.clock.wall()) { keepJoinsIfPossible() }
        guard searchDials.count < JoinDesk.dialCountMax else { return }
        for (address, secret) in joins.due(searchAddresses, at: dependencies.clock.monotonic()) {
            dialForSearch(address, secret, newestVersion)
        }
    }

    func askingOpened(_ link: JoinDesk.Link) {
        guard let attempt = joins.attempts[link.invite], attempt.outcome == nil, !joins.isAsking(link.invite),
            attempt.link.account == link.account
        else {
            link.connection.close(code: SyncCloseCode.goodbye.rawValue)
            return
        }
        joins.insert(link)
        link.connection.settle(in: .invitation)
        let identity = dependencies.identity
        let request = JoinRequest(account: identity.account, entries: identity.log(of: identity.account)?.entries ?? [])
        if !sendInvitation(.joinRequest(request), on: link) { joins.asksAtLength(link.invite) }
    }

    func heard(_ answer: JoinAnswer, on link: JoinDesk.Link) {
        do {
            _ = try dependencies.identity.contacts.insert(answer.entries, of: link.account)
        } catch {
            dependencies.logger.notice("inviting account's log refused", metadata: ["error": "\(error)"])
            closeInvitation(link.connection.id, .violation)
            return
        }
        mailbox.put(.contactChanged(link.account))
        closeInvitation(link.connection.id, .goodbye)
        switch answer.state {
        case .waitingApproval:
            let now = dependencies.clock.monotonic()
            joins.update(link.invite) { $0.waitsForApproval(of: link.connection.address, at: now) }
        case .waitingInviter:
            let now = dependencies.clock.monotonic()
            joins.update(link.invite) { $0.waits(at: now) }
        case .joined(let terms, _): enter(terms, from: link)
        }
    }

    func heard(_ refusal: JoinRefusal, on link: JoinDesk.Link) {
        closeInvitation(link.connection.id, .goodbye)
        guard !refusal.meaning.isPassing else { return }
        let error = Self.told(refusal.meaning)
        dependencies.logger.notice("invitation refused", metadata: ["reason": "\(refusal.meaning)"])
        ended(link.invite, .failure(error))
    }

    /// Makes the zone known here; its control log names the accounts that take part by now.
    private func enter(_ terms: ZoneTerms, from link: JoinDesk.Link) {
        guard terms.genesis.owner != dependencies.identity.account else {
            ended(link.invite, .failure(Self.told(.ownAccount)))
            return
        }
        let zone = ZoneID(terms.genesis)
        let (device, address) = (link.device, link.connection.address)
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            // Where mDNS does not reach, this address is all that is known of the inviting account.
            try PeerMemory(replica.committer).met(device, at: address.description, in: &transaction)
            return try replica.change(&transaction) { committer, _, transaction in
                try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
            }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success:
                mailbox.put(.joined(JoinedZone(invite: link.invite, zone: zone, device: device, address: address)))
            // It is asked again, and answered the same.
            case .failure(let error): logger.error("zone not joined", metadata: ["error": "\(error)"])
            }
        }
    }

    func joined(_ joined: JoinedZone) {
        let route = PeerRoute(address: joined.address, key: .zone(joined.zone))
        sessions.directory.remember(joined.device, addresses: [route])
        sessions.directory.forgetRefusals()
        ended(joined.invite, .success(JoinStatus(zone: joined.zone, rights: nil, state: .joined)))
    }

    func ended(_ invite: [UInt8], _ outcome: Result<JoinStatus, NodeError>) {
        guard let attempt = joins.attempts[invite] else { return }
        if attempt.isWatched {
            joins.update(invite) { $0.outcome = outcome }
            return
        }
        if case .failure(let error) = outcome {
            dependencies.replica.health.set(
                HealthWarning(
                    code: "invite.refused",
                    severity: .info,
                    message: "An invitation that was opened earlier was refused: \(error.message)",
                    fix: error.fix
                )
            )
        }
        endJoin(invite)
    }

    private func endJoin(_ invite: [UInt8]) {
        joins.end(invite)
        keepJoinsIfPossible()
    }

    private func keepJoins() throws {
        try dependencies.identity.files.joins.replace(JoinFile(joins.attempts.values).encoded)
    }

    /// An invitation that stays in the file too long is asked about once more after a restart, and answered the same.
    private func keepJoinsIfPossible() {
        do {
            try keepJoins()
        } catch {
            dependencies.logger.warning("opened invitations not written", metadata: ["error": "\(error)"])
        }
    }

    private static func parse(invite text: String) throws(NodeError) -> InviteLink {
        do throws(InviteLinkError) {
            return try InviteLink(typed: text)
        } catch {
            throw malformed(error)
        }
    }

    /// Returns the error for a text that is no link.
    static func malformed(_ error: InviteLinkError) -> NodeError {
        NodeError(
            .inviteMalformed,
            "This is not an invitation: \(error).",
            fix: "Copy the whole link again, or ask for another one."
        )
    }

    /// Returns the error for a refusal, with its remedy.
    static func told(_ code: JoinRefusalCode) -> NodeError {
        switch code {
        case .spent:
            NodeError(.inviteSpent, "The invitation was used up.", fix: "Ask the inviting person for another one.")
        case .expired:
            NodeError(.inviteExpired, "The invitation has expired or was withdrawn.", fix: "Ask for another one.")
        case .refused:
            NodeError(.inviteRefused, "The inviting side has denied the request.", fix: "Ask the inviting person.")
        case .ownAccount:
            NodeError(
                .inviteOwnAccount,
                "The invitation is from this device's own account.",
                fix: "Open it on a device of another account; this account's devices have the zone already."
            )
        case .zoneGone:
            NodeError(.inviteZoneGone, "The zone was deleted.", fix: "Ask the inviting person what to use instead.")
        case .badAccount:
            NodeError(
                .inviteBadAccount,
                "The inviting side did not accept this account's log.",
                fix: "Open the invitation on a device of the account with the role full (`kairan device ls`)."
            )
        case .noRight:
            NodeError(
                .inviteNoRight,
                "The inviting account may no longer delegate this right.",
                fix: "Ask the owner of the zone for an invitation."
            )
        case .busy:
            NodeError(.busy, "The inviting side is overloaded.", fix: "The daemon tries again.")
        }
    }
}
