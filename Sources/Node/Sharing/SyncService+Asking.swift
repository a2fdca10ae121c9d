import Identity
import Logging
import Peering
import Session
import Sodium
import Sync
import Wire

// Invitations, seen from the account that opens one: the core asks, and callers wait here for the answer.
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
        guard core.open(link, at: dependencies.clock.wall()) else {
            throw NodeError(
                .joinTooMany,
                "\(Core.invitationCountMax) invitations wait for an answer already.",
                fix: "`kairan join ls` lists them; abandon one with `kairan join forget`."
            )
        }
        // On the disk first: a link is opened once, and its answer may come after a restart.
        do {
            try keepJoins()
        } catch {
            stepAside { $0.forget(invite, in: &$1) }
            throw NodeError(.storageFailed, "The invitation could not be stored.", fix: "See the daemon's log.")
        }
        stepAside { core, _ in core.watch(invite, isWatched: true) }
        let deadline = dependencies.clock.monotonic() + timeoutMilliseconds
        let outcome = await joinOutcome(invite, until: deadline)
        core.watch(invite, isWatched: false)
        return try outcome.get()
    }

    /// Invitations that wait for an answer.
    func waitingJoins() -> [(invite: String, account: AccountID, state: JoinState, opened: UInt64)] {
        core.invitations.attempts.values.sorted { $0.opened < $1.opened }.map { attempt in
            let invite = Base32.encode(attempt.link.secret.identifier)
            return (invite, attempt.link.account, JoinState(attempt.answer), attempt.opened)
        }
    }

    /// Gives an invitation up.
    /// - Returns: Whether it was there.
    func forgetJoin(_ invite: String) throws(NodeError) -> Bool {
        guard let identifier = Base32.decode(invite), core.invitations.attempts[identifier] != nil else { return false }
        endJoin(identifier)
        return true
    }

    private func joinOutcome(_ invite: [UInt8], until deadline: UInt64) async -> Result<JoinStatus, NodeError> {
        while true {
            guard let attempt = core.invitations.attempts[invite] else {
                return .failure(NodeError(.notReady, "The invitation was abandoned meanwhile.", fix: "Open it again."))
            }
            if let outcome = attempt.outcome {
                endJoin(invite)
                return Self.told(outcome)
            }
            let now = dependencies.clock.monotonic()
            if let answer = attempt.settledAnswer(at: now) {
                return .success(JoinStatus(zone: nil, rights: nil, state: JoinState(answer)))
            }
            // A device that is answering at this moment is waited for a little longer.
            let end = core.invitations.isAsking(invite) ? deadline + 5_000 : deadline
            guard now < end else { break }
            do {
                try await Task.sleep(for: .milliseconds(50))
            } catch {
                break
            }
        }
        return .success(JoinStatus(zone: nil, rights: nil, state: JoinState(core.invitations.attempts[invite]?.answer)))
    }

    /// Reads the invitations that an earlier run has left.
    func loadJoins() {
        let file = dependencies.identity.files.joins
        do {
            guard var bytes = try file.read() else { return }
            defer { ConstantTime.wipe(&bytes) }
            for (link, opened) in try OpenedInvitations(decoding: bytes).all { _ = core.open(link, at: opened) }
        } catch {
            dependencies.logger.warning("opened invitations not read", metadata: ["error": "\(error)"])
        }
    }

    /// Makes a zone known here; its control log names the accounts that take part by now.
    func enter(_ zone: InvitedZone<PeerAddress>) {
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            // Where mDNS does not reach, this address is all that is known of the inviting account.
            try PeerMemory(replica.committer).met(zone.device, at: zone.address.description, in: &transaction)
            return try replica.change(&transaction) { committer, _, transaction in
                let terms = zone.terms
                return try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
            }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success: mailbox.put(.joined(zone))
            // It is asked again, and answered the same.
            case .failure(let error): logger.error("zone not joined", metadata: ["error": "\(error)"])
            }
        }
    }

    private func endJoin(_ invite: [UInt8]) { stepAside { $0.forget(invite, in: &$1) } }

    private func keepJoins() throws {
        try dependencies.identity.files.joins.replace(OpenedInvitations(core.invitations).encoded)
    }

    /// An invitation that stays in the file too long is asked about once more after a restart, and answered the same.
    func keepJoinsIfPossible() {
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

    private static func told(_ outcome: InvitationOutcome) -> Result<JoinStatus, NodeError> {
        switch outcome {
        case .joined(let zone): .success(JoinStatus(zone: zone, rights: nil, state: .joined))
        case .refused(let code): .failure(told(code))
        }
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

extension JoinState {
    /// The state of an invitation by its last answer; while there is none, the inviting device has to come within reach.
    fileprivate init(_ answer: InvitationAttempt<PeerAddress>.Answer?) {
        self = answer == .waitingApproval ? .waitingApproval : .waitingInviter
    }
}
