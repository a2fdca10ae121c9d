/// A zone: a set of records that is synchronised as a whole.
public struct Zone: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// Its name.
    public var name: String
    /// The container that it belongs to, usually one application's.
    public var container: String
    /// `private`, `shared` or `public`.
    public var database: String
    /// The account that owns it.
    public var owner: String
    /// What this device may do: `read`, `append`, `write` or `admin`.
    public var rights: String
    /// Records that are not deleted.
    public var records: UInt64
    /// The generation of its key; `nil` while it is in clear.
    public var epoch: String?
    /// Equal on replicas that hold the same state.
    public var digest: String
    /// How far other devices are.
    public var peers: [ZonePeer]

    enum CodingKeys: String, CodingKey {
        case zone, name, container, database, owner, rights, records, epoch, digest, peers
    }
}
