/// A zone: a set of records that is synchronised as a whole.
public struct Zone: Sendable, Hashable, Codable {
    /// The name of the database of a container that shows a zone.
    public struct DatabaseName: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Zones of this account, including those shared with other accounts.
        public static let `private` = DatabaseName(rawValue: "private")
        /// Zones of other accounts that are shared with this account.
        public static let shared = DatabaseName(rawValue: "shared")
        /// Zones of any owner with public access.
        public static let `public` = DatabaseName(rawValue: "public")
        /// The words that this version knows.
        public static let known: [DatabaseName] = [.private, .shared, .public]
    }

    /// The origin of a zone.
    public struct Kind: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A program or a person has made it and given it its name.
        public static let custom = Kind(rawValue: "custom")
        /// The one that each container has.
        public static let `default` = Kind(rawValue: "default")
        /// This account owns it together with another one.
        public static let pair = Kind(rawValue: "pair")
        /// The words that this version knows.
        public static let known: [Kind] = [.custom, .default, .pair]
    }

    /// The zone.
    public var zone: String
    /// Its name.
    @Name public var name: String
    /// The container that it belongs to, usually one application's.
    @Name public var container: String
    /// The origin of the zone.
    public var kind: Kind = .custom
    /// The other owner of a pair zone.
    public var pairWith: String?
    /// The name of that account here: a petname, else the name that it gives itself; `nil` without either.
    public var pairWithName: String?
    /// The database that shows it.
    public var database: DatabaseName
    /// The account that owns it now.
    public var owner: String
    /// The name of that account here: a petname, else the name that it gives itself; `nil` without either, and in events.
    public var ownerName: String?
    /// Whether that is this account.
    public var isOwn: Bool
    /// The most that this account may do by rights of its own; `none` when it holds none, any more or yet.
    public var rights: AccessRights
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

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        zone: String,
        name: String,
        container: String,
        kind: Kind,
        pairWith: String?,
        pairWithName: String? = nil,
        database: DatabaseName,
        owner: String,
        ownerName: String? = nil,
        isOwn: Bool,
        rights: AccessRights,
        publicAccess: PublicAccess,
        records: UInt64,
        internalRecords: UInt64,
        epoch: String?,
        digest: String,
        peers: [ZonePeer]
    ) {
        self.zone = zone
        self.name = name
        self.container = container
        self.kind = kind
        self.pairWith = pairWith
        self.pairWithName = pairWithName
        self.database = database
        self.owner = owner
        self.ownerName = ownerName
        self.isOwn = isOwn
        self.rights = rights
        self.publicAccess = publicAccess
        self.records = records
        self.internalRecords = internalRecords
        self.epoch = epoch
        self.digest = digest
        self.peers = peers
    }

    enum CodingKeys: String, CodingKey {
        case zone, name, container, kind
        case pairWith = "pair_with"
        case pairWithName = "pair_with_name"
        case database, owner
        case ownerName = "owner_name"
        case isOwn = "own"
        case rights
        case publicAccess = "public"
        case records
        case internalRecords = "internal_records"
        case epoch, digest, peers
    }
}
