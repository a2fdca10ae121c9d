import Sync
import Wire

/// Relays' custody of payloads for others.
extension SQLiteTransaction {
    var custodyTable: CustodyTable { CustodyTable(self) }

    func custodies(of payload: PayloadID) throws -> [CustodyRow] { try custodyTable.promises(about: payload) }

    func unneededCustodies(by relay: DeviceID, limit: Int) throws -> [CustodyRow] {
        try custodyTable.unneeded(by: relay, limit: limit)
    }

    mutating func save(_ custody: CustodyRow) throws {
        try requireWritable()
        try custodyTable.save(custody)
    }

    mutating func removeCustody(of payload: PayloadID, by relay: DeviceID) throws {
        try requireWritable()
        try custodyTable.remove(about: payload, by: relay)
    }

    func promisingRelays() throws -> [DeviceID] { try custodyTable.relays() }

    mutating func removeCustodies(by relay: DeviceID, limit: Int) throws -> Bool {
        try requireWritable()
        return try custodyTable.remove(by: relay, limit: limit)
    }

    mutating func loosenCustodies(zone: ZoneID) throws {
        try requireWritable()
        try custodyTable.loosen(zone: zone)
    }

    func custodyByteCounts() throws -> [DeviceID: UInt64] { try custodyTable.byteCounts() }

    func recordCustodyByteCount() throws -> UInt64 { try custodyTable.recordByteCount() }
}
