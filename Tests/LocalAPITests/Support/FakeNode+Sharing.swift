import struct KairanInterface.Invitation
import struct KairanInterface.ZoneTransfer
import Node
import Wire

extension FakeNode {
    func share(of zone: String) async throws(NodeError) -> ShareStatus {
        try enter("share of \(zone)", zone)
        return ShareStatus(
            zone: Self.zoneID,
            owner: Self.account,
            ownerDevices: [DeviceName(device: Self.device, name: "lap")],
            participants: [Self.participant],
            publicAccess: PublicAccessStatus(
                access: PublicAccess(world: .read, authenticated: [.read, .create], creator: []),
                link: "kairan://zone#abc"
            ),
            invites: [Self.invitation],
            requests: [
                JoinRequestStatus(
                    id: "i1.a1",
                    account: Self.participant.account,
                    device: Self.other,
                    invite: "i1",
                    askedMilliseconds: 1_700_000_000_000,
                    waitsForApproval: true
                )
            ],
            waitsFor: [Self.participant.account],
            transfer: Self.transfer
        )
    }

    func share(
        zone: String,
        with account: String,
        terms: ShareTerms
    ) async throws(NodeError) -> (participant: ParticipantStatus, isNew: Bool) {
        let limits = "\(terms.recordTypes) \(terms.namePrefix) \(terms.lifetimeMilliseconds ?? 0)"
        try enter("share with \(account) \(terms.level) \(terms.delegationDepth) \(limits)", zone)
        return (Self.participant, account != "again-and-again")
    }

    func revokeShare(
        zone: String,
        account: String,
        reason: String,
        keepsBelow: Bool
    ) async throws(NodeError) -> RevocationStatus {
        try enter("revoke \(account) \(reason)\(keepsBelow ? " keep" : "")", zone)
        return RevocationStatus(
            zone: Self.zoneID,
            accounts: [Self.participant.account],
            kept: keepsBelow ? [Self.participant.account] : [],
            epoch: Self.epoch,
            quarantined: 2,
            remaining: .read
        )
    }

    func raiseCut(zone: String, account: String) async throws(NodeError) -> CutRaiseStatus {
        try enter("raise \(account)", zone)
        return CutRaiseStatus(zone: Self.zoneID, account: Self.participant.account, raised: 1, released: 3)
    }

    static let epoch = Hash(participant.account.digest)

    func rotateEpoch(zone: String) async throws(NodeError) -> EpochStatus {
        try enter("rotate", zone)
        return EpochStatus(zone: Self.zoneID, epoch: Self.epoch)
    }

    func leave(zone: String) async throws(NodeError) -> ZoneID {
        try enter("leave", zone)
        return Self.zoneID
    }

    static let transfer = TransferStatus(
        zone: zoneID,
        owner: account,
        account: participant.account,
        keeps: .write,
        state: .offered
    )

    func offerTransfer(
        of zone: String,
        to account: String,
        keeping level: AccessLevel?
    ) async throws(NodeError)
        -> TransferStatus
    {
        try enter("transfer to \(account) \(level.map { "\($0)" } ?? "-")", zone)
        var status = Self.transfer
        status.keeps = level
        return status
    }

    func withdrawTransfer(of zone: String) async throws(NodeError) -> TransferStatus {
        try enter("withdraw the transfer", zone)
        var status = Self.transfer
        status.state = .withdrawn
        return status
    }

    func answerTransfer(of zone: String, accepting accepts: Bool) async throws(NodeError) -> TransferStatus {
        try enter(accepts ? "accept the transfer" : "decline the transfer", zone)
        var status = Self.transfer
        status.state = accepts ? .accepted : .declined
        return status
    }

    func setPublicAccess(zone: String, _ change: PublicAccessChange) async throws(NodeError) -> PublicAccessStatus {
        let said = [change.world, change.authenticated, change.creator].map { $0.map { "\($0.rawValue)" } ?? "-" }
        try enter("public \(said.joined(separator: " "))", zone)
        let access = PublicAccess(world: change.world ?? .read, authenticated: change.authenticated ?? [], creator: [])
        return PublicAccessStatus(access: access, link: access.world.contains(.read) ? "kairan://zone#abc" : nil)
    }

    static let invitation = InvitationStatus(
        id: "invite-id",
        link: "kairan://join#secret",
        level: .write,
        delegationDepth: 0,
        uses: 3,
        taken: 1,
        expiresMilliseconds: 1_800_000_000_000,
        needsApproval: true,
        state: .open,
        device: device
    )

    func invite(
        zone: String,
        terms: ShareTerms,
        limits: InviteLimits
    ) async throws(NodeError) -> (invite: InvitationStatus, isNew: Bool) {
        let promise = "\(terms.level) \(terms.delegationDepth) \(terms.lifetimeMilliseconds ?? 0)"
        let counting = limits.isCountedByRelay ? " by relay" : ""
        let bounds =
            "\(limits.uses) \(limits.lifetimeMilliseconds) \(limits.needsApproval) \(limits.addresses)\(counting)"
        try enter("invite \(promise) \(bounds)", zone)
        return (Self.invitation, limits.uses > 1)
    }

    func withdrawInvite(_ id: String, zone: String) async throws(NodeError) {
        try enter("withdraw \(id)", zone)
    }

    func approveRequest(_ request: String, zone: String) async throws(NodeError) -> Bool {
        try enter("approve \(request)", zone)
        return request != "elsewhere"
    }

    func denyRequest(_ request: String, zone: String) async throws(NodeError) {
        try enter("deny \(request)", zone)
    }

    static let blocked = BlockStatus(account: participant.account, sinceMilliseconds: 1_700_000_000_000)

    func blocks() async throws(NodeError) -> [BlockStatus] {
        try enter("blocks")
        return [Self.blocked]
    }

    func block(account: String) async throws(NodeError) -> BlockStatus {
        try enter("block \(account)")
        return Self.blocked
    }

    func unblock(account: String) async throws(NodeError) {
        try enter("unblock \(account)")
    }

    func join(link: String) async throws(NodeError) -> JoinStatus {
        try enter("join \(link)")
        guard link != "later" else { return JoinStatus(zone: nil, rights: nil, state: .waitingApproval) }
        return JoinStatus(zone: Self.zoneID, rights: .write, state: .joined)
    }

    func joins() async throws(NodeError) -> [OpenJoinStatus] {
        try enter("joins")
        return [
            OpenJoinStatus(
                invite: "invite-id",
                account: Self.participant.account,
                state: .waitingInviter,
                openedMilliseconds: 1_700_000_000_000
            )
        ]
    }

    func forgetJoin(_ invite: String) async throws(NodeError) {
        try enter("forget \(invite)")
    }

    /// Notes a call that is about a zone.
    private func enter(_ call: String, _ zone: String) throws(NodeError) {
        try enter(call)
        try checkZone(zone)
    }
}
