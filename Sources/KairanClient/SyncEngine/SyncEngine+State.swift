extension SyncEngine {
    /// The persistent state of an engine: its position in the changes of each zone, and the pending changes.
    ///
    /// Store it whenever ``Event/stateUpdate(_:)`` delivers one, and pass it to the next engine. Its content is
    /// private to the engine; later versions can read its encoded form.
    public struct State: Sendable, Hashable, Codable {
        /// The last known description of a zone, and the position up to which its changes were delivered.
        struct KnownZone: Hashable, Codable {
            var name: String
            var database: Zone.DatabaseName
            var owner: String
            var rights: AccessRights
            var token: String?
            /// Whether everything is read again, after the token expired.
            var isReread = false

            init(_ zone: Zone, after earlier: KnownZone? = nil) {
                self.name = zone.name
                self.database = zone.database
                self.owner = zone.owner
                self.rights = zone.rights
                self.token = earlier?.token
                self.isReread = earlier?.isReread ?? false
            }
        }

        var account: String?
        var zones: [String: KnownZone] = [:]
        var pending = PendingChanges()
        /// Versions that this engine wrote and that the feed has not shown yet: they are not delivered as changes.
        var sent: [RecordID: String] = [:]
        var zoneChanges = PendingZoneChanges()
        /// The ids of zones that this engine made, by the names under which the application may still know them.
        var madeZones: NameDictionary<String> = [:]

        /// The state of an engine that has never run.
        public init() {}

        enum CodingKeys: String, CodingKey { case account, zones, pending, sent, zoneChanges, madeZones }

        /// Reads the output of this or an earlier version.
        /// - Throws: `DecodingError`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            account = try container.decodeIfPresent(String.self, forKey: .account)
            zones = try container.decode([String: KnownZone].self, forKey: .zones)
            pending = try container.decode(PendingChanges.self, forKey: .pending)
            sent = try container.decode([RecordID: String].self, forKey: .sent)
            // Earlier versions had no changes of zones.
            zoneChanges = try container.decodeIfPresent(PendingZoneChanges.self, forKey: .zoneChanges) ?? .init()
            madeZones = try container.decodeIfPresent(NameDictionary<String>.self, forKey: .madeZones) ?? [:]
        }
    }
}
