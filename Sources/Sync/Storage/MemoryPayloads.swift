import Wire

/// The payloads of a store in memory.
struct MemoryPayloads: Sendable {
    /// By number.
    var rows: [UInt64: PayloadRow] = [:]
    /// By number and position.
    var chunks: [UInt64: [UInt64: ChunkRow]] = [:]
    /// The promises of relays, by payload and relay.
    var custodies: [CustodyRow] = []

    /// The payloads that are kept for others and count.
    var kept: [PayloadRow] {
        rows.values.filter { $0.keptUntil != nil && $0.state != .released && $0.sender != nil }
    }

    mutating func save(_ custody: CustodyRow) {
        custodies.removeAll { $0.payload == custody.payload && $0.relay == custody.relay }
        custodies.append(custody)
        custodies.sort { ($0.payload, $0.relay) < ($1.payload, $1.relay) }
    }

    /// Some payloads, ascending by number.
    func rows(_ limit: Int, where isWanted: (PayloadRow) throws -> Bool) rethrows -> [PayloadRow] {
        Array(try rows.values.filter(isWanted).sorted { $0.number < $1.number }.prefix(limit))
    }

    /// The chunks of a payload, in order.
    func chunks(of payload: UInt64) -> [ChunkRow] {
        (chunks[payload] ?? [:]).values.sorted { $0.position < $1.position }
    }

    /// Forgets some chunks.
    /// - Returns: Whether there was one.
    mutating func removeChunks(of payload: UInt64, limit: Int) -> Bool {
        let gone = chunks(of: payload).prefix(limit)
        for chunk in gone { chunks[payload]?[chunk.position] = nil }
        if chunks[payload]?.isEmpty == true { chunks[payload] = nil }
        return !gone.isEmpty
    }
}
