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
    /// Its databases, in the order of ``Zone/DatabaseName/known``.
    public var databases: [Database]
    /// The total size in bytes of the records of all of this program's containers; `nil` without a limit.
    public var usedBytes: UInt64?
    /// The limit of that size in bytes; `nil` without a limit.
    public var limitBytes: UInt64?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        container: String,
        zones: UInt64,
        records: UInt64,
        bytes: UInt64,
        databases: [Database],
        usedBytes: UInt64?,
        limitBytes: UInt64?
    ) {
        self.container = container
        self.zones = zones
        self.records = records
        self.bytes = bytes
        self.databases = databases
        self.usedBytes = usedBytes
        self.limitBytes = limitBytes
    }

    /// One view of a container.
    public struct Database: Sendable, Hashable, Codable {
        /// The name of the database.
        public var database: Zone.DatabaseName
        /// Records that are not deleted.
        public var records: UInt64
        /// Their bytes.
        public var bytes: UInt64
        /// Its zones, by name.
        public var zones: [ZoneSummary]

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(database: Zone.DatabaseName, records: UInt64, bytes: UInt64, zones: [ZoneSummary]) {
            (self.database, self.records, self.bytes, self.zones) = (database, records, bytes, zones)
        }
    }

    /// A zone, in few words.
    public struct ZoneSummary: Sendable, Hashable, Codable {
        /// The zone.
        public var zone: String
        /// Its name.
        public var name: String
        /// The origin of the zone, see ``Zone/kind``.
        public var kind: Zone.Kind
        /// Records that are not deleted.
        public var records: UInt64
        /// Their bytes.
        public var bytes: UInt64

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(zone: String, name: String, kind: Zone.Kind, records: UInt64, bytes: UInt64) {
            self.zone = zone
            self.name = name
            self.kind = kind
            self.records = records
            self.bytes = bytes
        }
    }

    enum CodingKeys: String, CodingKey {
        case container, zones, records, bytes, databases
        case usedBytes = "used_bytes"
        case limitBytes = "limit_bytes"
    }
}
