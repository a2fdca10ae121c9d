import Identity
import Records
import Sync
import Testing
import Wire

extension Neighbours {
    /// A content that all devices hold, with the record that names it.
    static func holding(
        _ bytes: [UInt8],
        _ counts: [Int]
    ) throws -> (neighbours: Neighbours, zone: ZoneID, payload: PayloadID) {
        var neighbours = try Neighbours(counts, seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        for account in counts.indices.dropFirst() { _ = try neighbours.grant(.write, to: account, by: 0, zone: zone) }
        try neighbours.settle(zone)
        let payload = try neighbours.handIn(bytes, on: 0, zone: zone)
        let isNamed = try neighbours.attach([payload], to: "photo", on: 0, zone: zone)
        #expect(isNamed)
        try neighbours.exchangeAssets(zone)
        for index in neighbours.homes.indices.dropFirst() { try neighbours.fetchPayloads(from: 0, on: index) }
        return (neighbours, zone, payload)
    }

    /// Begins an attempt to evict.
    mutating func begin(_ payload: PayloadID, attempt: UInt64 = 1, on index: Int) throws -> EvictionStart {
        try change(index) { try Evictions($0).begin(payload, attempt: attempt, in: &$2) }.reply
    }

    /// Has a device promise to keep a payload.
    mutating func retain(_ payload: PayloadID, on index: Int, zone: ZoneID) throws -> RetentionStatus.Word? {
        let request = RetentionRequest(zone: zone, asksForPromises: true, payloads: [payload])
        return try change(index) { try Evictions($0).retain(request, in: &$2) }.reply.statuses.first?.word
    }

    /// Drops a content by the promises of other devices.
    mutating func evict(
        _ payload: PayloadID,
        attempt: UInt64 = 1,
        promisedUntil: UInt64 = .max,
        by holder: Int,
        on index: Int
    ) throws -> Changed<EvictionEnd> {
        let drop = EvictionDrop(
            payload: payload,
            attempt: attempt,
            promisedUntil: promisedUntil,
            holder: homes[holder].keys.deviceID
        )
        return try change(index) { try Evictions($0).evict(drop, in: &$2) }
    }

    /// The end of a device's promise, while it stands.
    func promise(of payload: PayloadID, on index: Int) throws -> UInt64? {
        try Evictions(committer(index)).promise(of: payload, in: homes[index].store)
    }
}
