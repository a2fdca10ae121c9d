import Records
package import Wire

/// Assets of records.
extension MemoryStore {
    package func assetReferences(to payload: PayloadID, limit: Int) throws -> [AssetReference] {
        assets.references(to: payload, limit: limit)
    }

    package func assetReferences(to payload: PayloadID, zone: ZoneID, limit: Int) throws -> [AssetReference] {
        assets.references(to: payload, in: zone, limit: limit)
    }

    package func assetZones(of payload: PayloadID, limit: Int) throws -> [ZoneID] {
        Array(assets.zones(of: payload).prefix(limit))
    }

    package func assetReferences(zone: ZoneID, after: AssetReference?, limit: Int) throws -> [AssetReference] {
        assets.references(zone: zone, after: after, limit: limit)
    }

    package func isNamed(_ payload: PayloadID) throws -> Bool {
        try assets.zones(of: payload).contains { try replica.zone($0)?.state == .live }
    }

    package func isNamed(_ payload: PayloadID, zone: ZoneID) throws -> Bool {
        assets.zones(of: payload).contains(zone)
    }

    package func unseenAssetReferences(limit: Int) throws -> [AssetReference] { assets.unseen(limit: limit) }

    package mutating func markSeen(_ reference: AssetReference) throws { assets.markSeen(reference) }

    package mutating func markAssetReferencesUnseen(zone: ZoneID) throws { assets.markUnseen(zone: zone) }

    package mutating func markAssetReferencesUnseen(to payload: PayloadID) throws { assets.markUnseen(to: payload) }

    package func assetPolicy(zone: ZoneID) throws -> AssetPolicy? { assets.policies[zone] }

    package mutating func setAssetPolicy(_ policy: AssetPolicy?, zone: ZoneID) throws {
        assets.policies[zone] = policy?.storable
    }

    package func keepsAssetsAtRelays(zone: ZoneID) throws -> Bool { !assets.unrelayed.contains(zone) }

    package mutating func setKeepsAssetsAtRelays(_ isKept: Bool, zone: ZoneID) throws {
        if isKept { assets.unrelayed.remove(zone) } else { assets.unrelayed.insert(zone) }
    }

    package func keepableAssets(after number: UInt64, limit: Int) throws -> [PayloadRow] {
        payloads.rows(limit) { $0.isAsset && ($0.isComplete || $0.state == .evicted) && $0.number > number }
    }

    package func payloadsToMark(limit: Int) throws -> [PayloadRow] {
        try payloads.rows(limit) { row in
            guard row.isAsset, let id = row.id else { return false }
            return try isNamed(id) == (row.unnamedSince != nil)
        }
    }

    package func assetTotals() throws -> (count: Int, heldByteCount: UInt64) {
        let rows = payloads.rows.values.filter { $0.isAsset && $0.state != .released }
        return (rows.count, rows.reduce(0) { $0 + ($1.state == .present ? $1.byteCount : 0) })
    }

    package func unneededPayloads(
        begunBefore milliseconds: UInt64,
        unnamedBefore: UInt64,
        at now: UInt64,
        limit: Int
    ) throws -> [PayloadRow] {
        let needed = Set(messageRows.values.filter(\.needsPayload).compactMap(\.payload))
        let found = try payloads.rows(.max) { row in
            if row.state == .released { return true }
            let isOld = row.begun < milliseconds && row.keptUntil ?? 0 <= now
            let isUnnamed = !row.isAsset || row.unnamedSince.map { $0 <= unnamedBefore } ?? false
            guard isOld, isUnnamed else { return false }
            guard let id = row.id else { return true }
            return try !needed.contains(id) && !isNamed(id)
        }
        let isKept = { (row: PayloadRow) in row.keptUntil != nil && row.state != .released }
        let kept = found.filter(isKept).sorted { ($0.keptUntil ?? 0, $0.number) < ($1.keptUntil ?? 0, $1.number) }
        return Array((found.filter { !isKept($0) } + kept).prefix(limit))
    }
}
