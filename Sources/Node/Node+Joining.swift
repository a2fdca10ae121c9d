import Identity
import Records
import Wire

extension Node {
    /// See `JoiningAPI`.
    package func join(link: String) async throws(NodeError) -> JoinStatus {
        try await join(
            link: link,
            answerMilliseconds: InvitationOpening.answerMilliseconds,
            keyMilliseconds: Self.keyMilliseconds
        )
    }

    /// Opens an invitation, an offer, or a public zone, and waits for the zone's key.
    /// - Parameters:
    ///   - link: The link, or an offered zone.
    ///   - answerMilliseconds: The time to wait for a device that answers.
    ///   - keyMilliseconds: The time to wait for the key, once this account takes part.
    /// - Returns: The progress of the joining.
    /// - Throws: As of `JoiningAPI`.
    func join(
        link: String,
        answerMilliseconds: UInt64,
        keyMilliseconds: UInt64
    ) async throws(NodeError) -> JoinStatus {
        if PublicLink.isMeant(by: link) { return try await OfferedZones(sync).open(publicLink: link) }
        let status: JoinStatus
        if let offered = try await OfferedZones(sync).zone(named: link) {
            status = try await OfferedZones(sync).accept(offered)
        } else {
            status = try await InvitationOpening(sync).open(link, timeoutMilliseconds: answerMilliseconds)
        }
        guard status.state == .joined, let zone = status.zone else { return status }
        let deadline = clock.monotonic() &+ keyMilliseconds
        while try await isWithoutKey(zone) {
            guard clock.monotonic() < deadline, await Self.rest() else {
                return JoinStatus(zone: zone, rights: status.rights, state: .waitingKey)
            }
        }
        return status
    }

    /// The time to wait for the key of a zone that was joined: it comes in the meeting that follows.
    private static let keyMilliseconds: UInt64 = 5_000

    /// Waits for a moment, before the caller looks again.
    /// - Returns: False when no caller waits any more.
    static func rest() async -> Bool {
        do {
            try await Task.sleep(for: .milliseconds(50))
            return true
        } catch {
            return false
        }
    }

    /// Whether this device is to read a zone and has no key of it yet.
    private func isWithoutKey(_ zone: ZoneID) async throws(NodeError) -> Bool {
        // A relay reads nothing, and no key is sealed to it.
        let isReader = identity.accountState.standing(of: identity.device) != .active(.relayOnly)
        guard identity.isSealing, isReader else { return false }
        let row = try await reading { try $0.zone(zone) }
        guard let row, row.state == .live, row.sealing == .waiting else { return false }
        if case .participant(let scope) = row.role { return scope.level >= .read }
        return true
    }

    /// See `JoiningAPI`.
    package func joins() async throws(NodeError) -> [OpenJoinStatus] {
        try await InvitationOpening(sync).waiting() + OfferedZones(sync).all() + offeredZones()
    }

    /// See `JoiningAPI`.
    package func forgetJoin(_ invite: String) async throws(NodeError) {
        guard await InvitationOpening(sync).forget(invite) else {
            throw NodeError(
                .inviteUnknown,
                "No opened invitation \"\(invite)\" waits for an answer.",
                fix: "`kairan join ls` lists them."
            )
        }
    }
}
