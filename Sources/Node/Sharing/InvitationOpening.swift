import Identity
import Logging
import Peering
import Sodium
import Sync
import Wire

/// Invitations, seen from the account that opens one: the core asks, and callers wait here for the answer.
struct InvitationOpening: Sendable {
    /// The time to wait for a device that answers an invitation, in milliseconds.
    static let answerMilliseconds: UInt64 = 15_000

    private let sync: SyncService

    /// Opens invitations on a service's device.
    init(_ sync: SyncService) {
        self.sync = sync
    }

    /// Opens an invitation.
    /// - Parameters:
    ///   - text: The link.
    ///   - timeoutMilliseconds: The time to wait for a device that answers; attempts continue afterwards.
    /// - Returns: The progress of the joining.
    /// - Throws: `inviteMalformed`, `inviteOwnAccount`, the inviting side's refusal, `joinTooMany`.
    func open(
        _ text: String,
        timeoutMilliseconds: UInt64 = answerMilliseconds
    ) async throws(NodeError) -> JoinStatus {
        let link: InviteLink
        do throws(InviteLinkError) {
            link = try InviteLink(typed: text)
        } catch {
            throw NodeError(error)
        }
        let (identity, clock) = (sync.dependencies.identity, sync.dependencies.clock)
        guard link.account != identity.account else { throw NodeError(JoinRefusalCode.ownAccount) }
        guard identity.mayWrite else { throw NodeError.readOnly }
        let isOpen: Bool
        do {
            isOpen = try await sync.open(link)
        } catch {
            throw NodeError(.storageFailed, "The invitation could not be stored.", fix: "See the daemon's log.")
        }
        guard isOpen else {
            throw NodeError(
                .joinTooMany,
                "\(SyncService.Core.invitationCountMax) invitations wait for an answer already.",
                fix: "`kairan join ls` lists them; abandon one with `kairan join forget`."
            )
        }
        let invite = link.secret.identifier
        await sync.stepAside { core, _ in core.watch(invite, isWatched: true) }
        let outcome = await outcome(invite, until: clock.monotonic() + timeoutMilliseconds)
        await sync.use { $0.watch(invite, isWatched: false) }
        return try outcome.get()
    }

    /// The invitations that wait for an answer, the longest first.
    func waiting() async -> [OpenJoinStatus] {
        await sync.look { core in
            core.invitations.attempts.values.sorted { $0.precedes($1) }.map { attempt in
                OpenJoinStatus(
                    invite: Base32.encode(attempt.link.secret.identifier),
                    account: attempt.link.account,
                    state: JoinState(attempt.answer),
                    openedMilliseconds: attempt.opened
                )
            }
        }
    }

    /// Abandons an invitation.
    /// - Returns: Whether it was there.
    func forget(_ invite: String) async -> Bool {
        guard let identifier = Base32.decode(invite),
            await sync.look({ $0.invitations.attempts[identifier] != nil })
        else { return false }
        await end(identifier)
        return true
    }

    private func end(_ invite: [UInt8]) async { await sync.stepAside { $0.forget(invite, in: &$1) } }

    private func outcome(_ invite: [UInt8], until deadline: UInt64) async -> Result<JoinStatus, NodeError> {
        let clock = sync.dependencies.clock
        while true {
            let (attempt, isAsking) = await sync.look {
                ($0.invitations.attempts[invite], $0.invitations.isAsking(invite))
            }
            guard let attempt else {
                return .failure(NodeError(.notReady, "The invitation was abandoned meanwhile.", fix: "Open it again."))
            }
            switch attempt.outcome {
            case .joined(let zone)?:
                await end(invite)
                return .success(JoinStatus(zone: zone, rights: nil, state: .joined))
            case .refused(let code)?:
                await end(invite)
                return .failure(NodeError(code))
            case nil: break
            }
            let now = clock.monotonic()
            if let answer = attempt.settledAnswer(at: now) {
                return .success(JoinStatus(zone: nil, rights: nil, state: JoinState(answer)))
            }
            // A device that is answering at this moment is waited for a little longer.
            guard now < (isAsking ? deadline + 5_000 : deadline), await NodeClock.rest() else {
                return .success(JoinStatus(zone: nil, rights: nil, state: JoinState(attempt.answer)))
            }
        }
    }
}

extension OpenedInvitations {
    /// Reads the invitations that were opened before the last stop.
    /// - Parameters:
    ///   - file: The file.
    ///   - logger: Where a failure is noted: people can open their links again.
    /// - Returns: The links with the times at which they were opened; none where there is no file, or it cannot be read.
    static func read(_ file: SecretFile, _ logger: Logger) -> [(link: InviteLink, opened: UInt64)] {
        do {
            guard var bytes = try file.read() else { return [] }
            defer { ConstantTime.wipe(&bytes) }
            return try OpenedInvitations(decoding: bytes).all
        } catch {
            logger.warning("opened invitations not read", metadata: ["error": "\(error)"])
            return []
        }
    }
}

extension JoinState {
    /// The state of an invitation by its last answer; while there is none, the inviting device has to come within reach.
    fileprivate init(_ answer: InvitationAttempt<PeerAddress>.Answer?) {
        self = answer == .waitingApproval ? .waitingApproval : .waitingInviter
    }
}
