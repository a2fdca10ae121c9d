/// One application's zones.
public struct ContainerSummary: Sendable, Hashable, Codable {
    /// Its name, usually an application's reverse domain name.
    public var container: String
    /// The number of its zones.
    public var zones: UInt64
    /// Records that are not deleted.
    public var records: UInt64
    /// Their bytes.
    public var bytes: UInt64
    /// Its databases: `private`, `shared` and `public`.
    public var databases: [Database]
    /// The total size in bytes of the records of all of this program's containers; `nil` without a limit.
    public var usedBytes: UInt64?
    /// The limit of that size in bytes; `nil` without a limit.
    public var limitBytes: UInt64?

    /// One view of a container.
    public struct Database: Sendable, Hashable, Codable {
        /// The name of the database.
        public var database: String
        /// Records that are not deleted.
        public var records: UInt64
        /// Their bytes.
        public var bytes: UInt64
        /// Its zones, by name.
        public var zones: [ZoneSummary]
    }

    /// A zone, in few words.
    public struct ZoneSummary: Sendable, Hashable, Codable {
        /// The zone.
        public var zone: String
        /// Its name.
        public var name: String
        /// The origin of the zone, see ``Zone/kind``.
        public var kind: String
        /// Records that are not deleted.
        public var records: UInt64
        /// Their bytes.
        public var bytes: UInt64
    }

    enum CodingKeys: String, CodingKey {
        case container, zones, records, bytes, databases
        case usedBytes = "used_bytes"
        case limitBytes = "limit_bytes"
    }
}
