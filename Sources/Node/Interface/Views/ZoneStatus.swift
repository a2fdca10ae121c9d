package import Wire

/// One zone.
package struct ZoneStatus: Sendable {
    /// The zone.
    package var zone: ZoneID
    /// Its name.
    package var name: String
    /// Its container.
    package var container: String
    /// The form of the zone: custom, default or pair.
    package var kind: ZoneForm
    /// For a pair zone, the other account.
    package var pairedWith: AccountID?
    /// The view that shows it.
    package var database: ZoneDatabase
    /// The account that owns it now; for a pair zone, this account.
    package var owner: AccountID
    /// Whether that is this account.
    package var isOwn: Bool
    /// The access level of this account; `nil` when it has none any more, or not yet.
    package var rights: AccessLevel?
    /// The rights of accounts without a capability, which apply to this account too if it has none.
    package var publicAccess: PublicAccess
    /// Records of programs that are not deleted.
    package var records: UInt64
    /// Records that daemons write by themselves and that are not deleted.
    package var internalRecords: UInt64
    /// The generation of its key; `nil` while it is in clear.
    package var epoch: String?
    /// Equal on replicas that hold the same state; hex.
    package var digest: String
    /// The progress of the other devices.
    package var peers: [ZonePeerStatus]

    /// Makes a status.
    package init(
        zone: ZoneID,
        name: String,
        container: String,
        kind: ZoneForm = .custom,
        pairedWith: AccountID? = nil,
        database: ZoneDatabase,
        owner: AccountID,
        isOwn: Bool,
        rights: AccessLevel?,
        publicAccess: PublicAccess = .none,
        records: UInt64,
        internalRecords: UInt64 = 0,
        epoch: String?,
        digest: String,
        peers: [ZonePeerStatus]
    ) {
        self.zone = zone
        self.name = name
        self.container = container
        self.kind = kind
        self.pairedWith = pairedWith
        self.database = database
        self.owner = owner
        self.isOwn = isOwn
        self.rights = rights
        self.publicAccess = publicAccess
        self.records = records
        self.internalRecords = internalRecords
        self.epoch = epoch
        self.digest = digest
        self.peers = peers
    }
}
