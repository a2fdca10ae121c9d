package import Wire

/// One zone.
package struct ZoneStatus: Sendable {
    /// The zone.
    package var zone: ZoneID
    /// Its name.
    package var name: String
    /// Its container.
    package var container: String
    /// What made it.
    package var kind: ZoneForm
    /// Of a pair zone the account with which this one has it.
    package var pairedWith: AccountID?
    /// Which view shows it.
    package var database: ZoneDatabase
    /// Who owns it now; of a pair zone this account.
    package var owner: AccountID
    /// Whether that is this account.
    package var isOwn: Bool
    /// The most that this account may do; `nil` when it may do nothing any more, or not yet.
    package var rights: AccessLevel?
    /// What those may do in it who hold no right, this account too if it holds none.
    package var publicAccess: PublicAccess
    /// Records of programs that are not deleted.
    package var records: UInt64
    /// Records that daemons write by themselves and that are not deleted.
    package var internalRecords: UInt64
    /// The generation of its key; `nil` while it is in clear.
    package var epoch: String?
    /// Equal on replicas that hold the same state; hex.
    package var digest: String
    /// How far the others are.
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
