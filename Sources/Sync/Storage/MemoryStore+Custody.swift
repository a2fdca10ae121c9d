package import Wire

/// Relays' custody of payloads for others.
extension MemoryStore {
    package func custodies(of payload: PayloadID) throws -> [CustodyRow] {
        payloads.custodies.filter { $0.payload == payload }
    }

    package func unneededCustodies(by relay: DeviceID, limit: Int) throws -> [CustodyRow] {
        let needed = Set(try unsettledMessages(limit: .max).compactMap(\.payload))
        let unneeded = payloads.custodies.filter {
            $0.relay == relay && $0.kind == .message && !needed.contains($0.payload)
        }
        return Array(unneeded.prefix(limit))
    }

    package mutating func save(_ custody: CustodyRow) throws { payloads.save(custody.storable) }

    package mutating func removeCustody(of payload: PayloadID, by relay: DeviceID) throws {
        payloads.custodies.removeAll { $0.payload == payload && $0.relay == relay }
    }

    package func promisingRelays() throws -> [DeviceID] { Set(payloads.custodies.map(\.relay)).sorted() }

    package mutating func removeCustodies(by relay: DeviceID, limit: Int) throws -> Bool {
        let gone = payloads.custodies.filter { $0.relay == relay }.prefix(limit)
        for custody in gone { try removeCustody(of: custody.payload, by: relay) }
        return !gone.isEmpty
    }

    package mutating func loosenCustodies(zone: ZoneID) throws {
        for index in payloads.custodies.indices where payloads.custodies[index].zone == zone {
            payloads.custodies[index].kind = .message
        }
    }

    package func custodyByteCounts() throws -> [DeviceID: UInt64] {
        payloads.kept.reduce(into: [:]) { counts, row in
            if let sender = row.sender { counts[sender, default: 0] += row.paddedByteCount }
        }
    }

    package func recordCustodyByteCount() throws -> UInt64 {
        payloads.kept.reduce(0) { $0 + ($1.keeping == .message ? 0 : $1.paddedByteCount) }
    }
}
