import Identity
import Records
import Sync
import Wire

/// Answers requests to join zones of other accounts.
struct JoiningRequests: JoiningAPI {
    let store: CallerStore
    let sync: SyncService
    /// The time to wait for a device that answers.
    var answerMilliseconds = InvitationOpening.answerMilliseconds
    /// The time to wait for the key of a zone that was joined: it comes in the meeting that follows.
    var keyMilliseconds: UInt64 = 5_000

    func join(link: String) async throws(NodeError) -> JoinStatus {
        if PublicLink.isMeant(by: link) { return try await OfferedZones(sync).open(publicLink: link) }
        let status: JoinStatus
        if let offered = try await OfferedZones(sync).zone(named: link) {
            status = try await OfferedZones(sync).accept(offered)
        } else {
            status = try await InvitationOpening(sync).open(link, timeoutMilliseconds: answerMilliseconds)
        }
        guard status.state == .joined, let zone = status.zone else { return status }
        let deadline = store.commitService.clock.monotonic() &+ keyMilliseconds
        while try await isWithoutKey(zone) {
            guard store.commitService.clock.monotonic() < deadline, await NodeClock.rest() else {
                return JoinStatus(zone: zone, rights: status.rights, state: .waitingKey)
            }
        }
        return status
    }

    /// Whether this device is to read a zone and has no key of it yet.
    private func isWithoutKey(_ zone: ZoneID) async throws(NodeError) -> Bool {
        let identity = store.identity
        // A relay reads nothing, and no key is sealed to it.
        let isReader = identity.accountState.standing(of: identity.device) != .active(.relayOnly)
        guard identity.isSealing, isReader else { return false }
        let row = try await store.read { try $0.zone(zone) }
        guard let row, row.state == .live, row.sealing == .waiting else { return false }
        if case .participant(let scope) = row.role { return scope.level >= .read }
        return true
    }

    func joins() async throws(NodeError) -> [OpenJoinStatus] {
        try await InvitationOpening(sync).waiting() + OfferedZones(sync).all()
            + store.read { try store.transfersWaiting(in: $0) }
    }

    func forgetJoin(_ invite: String) async throws(NodeError) {
        guard await InvitationOpening(sync).forget(invite) else {
            throw NodeError(
                .inviteUnknown,
                "No opened invitation \"\(invite)\" waits for an answer.",
                fix: "`kairan join ls` lists them."
            )
        }
    }
}
