/// A zone: a set of records that is synchronised as a whole.
public struct Zone: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// Its name.
    @Name public var name: String
    /// The container that it belongs to, usually one application's.
    @Name public var container: String
    /// The origin of the zone: `custom` for one that a program or person has made, `default` for the one that each
    /// container has, `pair` for one that this account owns together with another one.
    public var kind: String = "custom"
    /// The other owner of a pair zone.
    public var pairWith: String?
    /// The database that shows it: `private` for zones of this account, `shared` for those of others, `public` for
    /// those with public access.
    public var database: String
    /// The account that owns it now.
    public var owner: String
    /// Whether that is this account.
    public var isOwn: Bool
    /// The most that this account may do: `relay`, `read`, `append`, `write`, `admin`, or `none` when it may do nothing any
    /// more, or not yet.
    public var rights: String
    /// The rights of accounts without a capability in the zone; they apply to this account too if it holds none.
    public var publicAccess: PublicAccess
    /// Records that are not deleted, without those that daemons write by themselves.
    public var records: UInt64
    /// Records that daemons write by themselves: messages, receipts, prekeys and relays.
    public var internalRecords: UInt64 = 0
    /// The epoch under whose key it is written here; `nil` while there is none, or the whole network may read it.
    public var epoch: String?
    /// Equal on replicas that hold the same state.
    public var digest: String
    /// The progress of other devices.
    public var peers: [ZonePeer]

    enum CodingKeys: String, CodingKey {
        case zone, name, container, kind, database, owner, rights, records, epoch, digest, peers
        case pairWith = "pair_with"
        case internalRecords = "internal_records"
        case isOwn = "own"
        case publicAccess = "public"
    }
}
