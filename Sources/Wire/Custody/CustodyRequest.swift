/// Asks a relay to keep a payload for devices that cannot be reached, or, as a release, states that it need not any
/// more.
///
/// ```
/// +-----------+------------+------------------+
/// | zone 32 B | payload 32 | byteCount varint |   0 in a release, which is a message of its own
/// +-----------+------------+------------------+
/// ```
package struct CustodyRequest: Hashable, Sendable {
    /// The zone that the payload belongs to.
    package let zone: ZoneID
    /// The payload.
    package let payload: PayloadID
    /// Its size with its padding, in bytes; at most `Limits.payloadByteCountMax`.
    package let byteCount: UInt64

    /// Makes a request.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, payload: PayloadID, byteCount: UInt64 = 0) {
        self.zone = zone
        self.payload = payload
        self.byteCount = byteCount
    }
}

extension CustodyRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(payload)
        writer.writeVarint(byteCount)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        payload = try PayloadID(from: &reader)
        byteCount = try reader.readVarint()
        guard byteCount <= Limits.payloadByteCountMax else { throw .invalidValue("byteCount") }
    }
}
