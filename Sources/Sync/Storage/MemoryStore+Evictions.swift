package import Wire

/// Evictions of payloads, and promises to keep them.
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
}
