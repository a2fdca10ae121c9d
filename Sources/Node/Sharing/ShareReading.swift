import Capabilities
import Identity
import Records
import Sync
import Wire

/// Makes the views of a zone's participants, invitations and requests for programs and people.
struct ShareReading {
    private let committer: Committer
    private var account: AccountID { committer.account.account }

    init(_ committer: Committer) {
        self.committer = committer
    }

    /// Returns the accounts that take part in a zone, with their rights.
    func share(of zone: ZoneID, in transaction: any NodeTransaction) throws -> ShareStatus {
        let state = try ZoneViews(committer).controlState(zone, in: transaction)
        let times = try ZoneViews(committer).grantTimes(state, zone: zone, in: transaction)
        let participants = state.participants.keys
            .compactMap { participant($0, in: state, times: times, accounts: committer.accounts) }
            .sorted { ($0.since, $0.account) < ($1.since, $1.account) }
        // In a pair zone, each account is named as the owner on its own devices; the other one is the zone's partner.
        let owner = state.isOwned(by: account) ? account : state.owner
        return ShareStatus(
            zone: zone,
            owner: owner,
            ownerDevices: Self.devices(of: owner, in: committer.accounts),
            participants: participants,
            publicAccess: try transaction.zone(zone).map { PublicAccessStatus(state.publicAccess, of: $0) }
                ?? PublicAccessStatus(access: state.publicAccess, link: nil),
            invites: try invitations(to: zone, in: transaction),
            requests: try joinRequests(for: zone, in: transaction),
            waitsFor: state.unknownAccounts,
            transfer: state.offer.map { TransferStatus($0, of: zone, ownedBy: state.owner) }
        )
    }

    /// Returns the rights of one account in a zone; `nil` when it takes no part.
    func participant(
        _ account: AccountID,
        in zone: ZoneID,
        _ transaction: any NodeTransaction
    ) throws -> ParticipantStatus? {
        let state = try ZoneViews(committer).controlState(zone, in: transaction)
        let times = try ZoneViews(committer).grantTimes(state, zone: zone, in: transaction)
        return participant(account, in: state, times: times, accounts: committer.accounts)
    }

    private func participant(
        _ account: AccountID,
        in state: ControlState,
        times: [Hash: UInt64],
        accounts: [AccountID: AccountState]
    ) -> ParticipantStatus? {
        guard let participant = state.participants[account] else { return nil }
        let capabilities = participant.capabilities.compactMap { id -> CapabilityStatus? in
            guard let record = state.capabilities[id] else { return nil }
            let (rights, caveats) = (record.capability.rights, record.capability.caveats)
            return CapabilityStatus(
                capability: id,
                level: rights.level,
                delegationDepth: rights.canDelegate ? caveats.delegationDepth : 0,
                issuer: record.capability.issuer,
                sinceMilliseconds: times[record.since] ?? 0,
                recordTypes: caveats.recordTypes,
                namePrefix: caveats.namePrefix,
                expiresMilliseconds: caveats.expires
            )
        }
        return ParticipantStatus(
            account: account,
            isThis: account == self.account,
            devices: Self.devices(of: account, in: accounts),
            capabilities: capabilities
        )
    }

    private static func devices(of account: AccountID, in accounts: [AccountID: AccountState]) -> [DeviceName] {
        guard let state = accounts[account] else { return [] }
        return state.activeDevices.map { DeviceName(device: $0, name: state.devices[$0]?.name ?? "") }
    }

    /// The invitations to a zone that are open, and for some time those that are not any more.
    private func invitations(to zone: ZoneID, in transaction: any NodeTransaction) throws -> [InvitationStatus] {
        try Invitations(committer).all(to: zone, in: transaction).map {
            try InvitationStatus($0, of: account, addresses: [])
        }
    }

    /// Returns the requests to join a zone that are not granted yet.
    private func joinRequests(for zone: ZoneID, in transaction: any NodeTransaction) throws -> [JoinRequestStatus] {
        let asking = try Invitations(committer).all(to: zone, in: transaction).filter(\.invite.terms.needsApproval)
        let approved = Set(asking.map(\.invite.identifier))
        return try Redemptions(committer).requests(for: zone, in: transaction).map { request in
            JoinRequestStatus(
                id: request.id.text,
                account: request.id.account,
                device: request.device,
                invite: Base32.encode(request.id.invite),
                askedMilliseconds: request.asked,
                waitsForApproval: approved.contains(request.id.invite) && !request.isApproved
            )
        }
    }
}

extension PublicAccessStatus {
    /// The rights of accounts without a capability in a zone.
    init(_ access: PublicAccess, of zone: ZoneRow) {
        let terms = ZoneTerms(genesis: zone.genesis, tagKey: zone.tagKey)
        self.init(access: access, link: access.world.contains(.read) ? PublicLink(terms).text : nil)
    }
}

extension ParticipantStatus {
    /// The time at which it joined: that of its oldest effective right.
    fileprivate var since: UInt64 { capabilities.map(\.sinceMilliseconds).min() ?? 0 }
}
