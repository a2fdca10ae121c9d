import Sync
import Wire

/// Assets of records, and their evictions.
extension SQLiteTransaction {
    /// The tables of assets.
    var assets: AssetTable { AssetTable(self) }

    func assetReferences(to payload: PayloadID, limit: Int) throws -> [AssetReference] {
        try assets.references(to: payload, limit: limit)
    }

    func assetReferences(to payload: PayloadID, zone: ZoneID, limit: Int) throws -> [AssetReference] {
        try assets.references(to: payload, zone: zone, limit: limit)
    }

    func assetZones(of payload: PayloadID, limit: Int) throws -> [ZoneID] {
        try assets.zones(of: payload, limit: limit)
    }

    func assetReferences(zone: ZoneID, after: AssetReference?, limit: Int) throws -> [AssetReference] {
        try assets.references(zone: zone, after: after, limit: limit)
    }

    func isNamed(_ payload: PayloadID) throws -> Bool { try assets.isNamed(payload) }

    func isNamed(_ payload: PayloadID, zone: ZoneID) throws -> Bool { try assets.isNamed(payload, zone: zone) }

    func unseenAssetReferences(limit: Int) throws -> [AssetReference] { try assets.unseenReferences(limit: limit) }

    mutating func markSeen(_ reference: AssetReference) throws {
        try requireWritable()
        try assets.markSeen(reference)
    }

    mutating func markAssetReferencesUnseen(zone: ZoneID) throws {
        try requireWritable()
        try assets.markUnseen(zone: zone)
    }

    mutating func markAssetReferencesUnseen(to payload: PayloadID) throws {
        try requireWritable()
        try assets.markUnseen(to: payload)
    }

    func assetPolicy(zone: ZoneID) throws -> AssetPolicy? { try assets.policy(zone: zone) }

    mutating func setAssetPolicy(_ policy: AssetPolicy?, zone: ZoneID) throws {
        try requireWritable()
        try assets.setPolicy(policy, zone: zone)
    }

    func keepsAssetsAtRelays(zone: ZoneID) throws -> Bool { try assets.isKeptAtRelays(zone: zone) }

    mutating func setKeepsAssetsAtRelays(_ isKept: Bool, zone: ZoneID) throws {
        try requireWritable()
        try assets.setKeptAtRelays(isKept, zone: zone)
    }

    // MARK: Evictions

    private var evictionTable: EvictionTable { EvictionTable(self) }

    func eviction(of payload: PayloadID) throws -> EvictionRow? { try evictionTable.attempt(of: payload) }

    func evictions(limit: Int) throws -> [EvictionRow] { try evictionTable.attempts(limit: limit) }

    mutating func save(_ eviction: EvictionRow) throws {
        try requireWritable()
        try evictionTable.save(eviction)
    }

    mutating func removeEviction(of payload: PayloadID) throws {
        try requireWritable()
        try evictionTable.removeAttempt(of: payload)
    }

    func retention(of payload: PayloadID) throws -> RetentionRow? { try evictionTable.promise(of: payload) }

    func retentions(endedBy end: UInt64, beyond: UInt64, limit: Int) throws -> [RetentionRow] {
        try evictionTable.promises(endedBy: end, beyond: beyond, limit: limit)
    }

    mutating func save(_ retention: RetentionRow) throws {
        try requireWritable()
        try evictionTable.save(retention)
    }

    mutating func removeRetention(of payload: PayloadID) throws {
        try requireWritable()
        try evictionTable.removePromise(of: payload)
    }
}
