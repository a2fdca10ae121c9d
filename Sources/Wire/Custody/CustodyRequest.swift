/// Asks a relay to keep a payload for devices that cannot be reached, or, as a release, states that it need not any
/// more.
///
/// ```
/// +-----------+------------+------------------+--------+
/// | zone 32 B | payload 32 | byteCount varint | kind 1 |   size and kind: 0 and 1 in a release, a message of its own
/// +-----------+------------+------------------+--------+
/// ```
package struct CustodyRequest: Hashable, Sendable {
    /// The data that names a payload; the raw values are those of the wire, and are stored.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// A message does, which a recipient has not got.
        case message = 1
        /// A record does, by an asset.
        case record = 2
    }

    /// The zone that the payload belongs to.
    package let zone: ZoneID
    /// The payload.
    package let payload: PayloadID
    /// Its size with its padding, in bytes; at most `Limits.payloadByteCountMax`, and 0 where the device does not have it (any more).
    package let byteCount: UInt64
    /// The data for which it is to be kept.
    package let kind: Kind

    /// Makes a request.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, payload: PayloadID, byteCount: UInt64 = 0, kind: Kind = .message) {
        self.zone = zone
        self.payload = payload
        self.byteCount = byteCount
        self.kind = kind
    }
}

extension CustodyRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(payload)
        writer.writeVarint(byteCount)
        writer.writeByte(kind.rawValue)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        payload = try PayloadID(from: &reader)
        byteCount = try reader.readVarint()
        guard byteCount <= Limits.payloadByteCountMax else { throw .invalidValue("byteCount") }
        let tag = try reader.readByte()
        guard let kind = Kind(rawValue: tag) else { throw .unknownTag(UInt64(tag)) }
        self.kind = kind
    }
}
