package import Wire

/// Evictions of payloads, promises to keep them, and statements of other devices about them.
extension MemoryStore {
    package func eviction(of payload: PayloadID) throws -> EvictionRow? {
        evicting.attempts[payload].map { EvictionRow(payload: payload, attempt: $0) }
    }

    package func evictions(limit: Int) throws -> [EvictionRow] {
        evicting.attempts.sorted { $0.key < $1.key }.prefix(limit).map {
            EvictionRow(payload: $0.key, attempt: $0.value)
        }
    }

    package mutating func save(_ eviction: EvictionRow) throws {
        evicting.attempts[eviction.payload] = eviction.storable.attempt
    }

    package mutating func removeEviction(of payload: PayloadID) throws { evicting.attempts[payload] = nil }

    package func retention(of payload: PayloadID) throws -> RetentionRow? {
        evicting.promises[payload].map { RetentionRow(payload: payload, until: $0) }
    }

    package func retentions(endedBy end: UInt64, beyond: UInt64, limit: Int) throws -> [RetentionRow] {
        evicting.promises(endedBy: end, beyond: beyond, limit: limit)
    }

    package mutating func save(_ retention: RetentionRow) throws {
        evicting.promises[retention.payload] = retention.storable.until
    }

    package mutating func removeRetention(of payload: PayloadID) throws { evicting.promises[payload] = nil }

    // MARK: Statements

    package func holders(of payload: PayloadID) throws -> [HolderRow] {
        (evicting.statements[payload] ?? [:]).values.sorted { $0.device < $1.device }
    }

    package func holder(of payload: PayloadID, device: DeviceID) throws -> HolderRow? {
        evicting.statements[payload]?[device]
    }

    package func holders(
        device: DeviceID,
        dueBy milliseconds: UInt64,
        after last: HolderRow?,
        limit: Int
    ) throws -> [HolderRow] {
        evicting.statements(of: device, dueBy: milliseconds, after: last, limit: limit)
    }

    package func statingDevices() throws -> [DeviceID] {
        Set(evicting.statements.values.flatMap(\.keys)).sorted()
    }

    package mutating func save(_ holder: HolderRow) throws {
        evicting.statements[holder.payload, default: [:]][holder.device] = holder.storable
    }

    package mutating func removeHolders(of payload: PayloadID) throws { evicting.statements[payload] = nil }

    package mutating func removeHolders(device: DeviceID, limit: Int) throws -> Bool {
        evicting.removeStatements(of: device, limit: limit)
    }

    package func presentAssets(after number: UInt64, limit: Int) throws -> [PresentAsset] {
        payloads.rows(limit) { $0.isAsset && $0.state == .present && $0.number > number }.compactMap { row in
            row.id.map { PresentAsset(number: row.number, id: $0, byteCount: row.byteCount, begun: row.begun) }
        }
    }
}
