/// The state of a payload that a relay was asked to keep.
///
/// ```
/// +-----------+------------+-----------+--------------+
/// | zone 32 B | payload 32 | outcome 1 | until varint |   until: only with outcome 1
/// +-----------+------------+-----------+--------------+
/// ```
package struct CustodyAnswer: Hashable, Sendable {
    /// The state of a payload at the relay.
    package enum Outcome: Hashable, Sendable {
        /// All of it is durable, and stays until that time, in milliseconds since 1970, or until it is released.
        case stored(until: UInt64)
        /// The relay has no room; the sender may ask again later.
        case full
        /// The relay does not keep it.
        case refused
        /// The relay does not keep it any more.
        case released
    }

    /// The zone that the payload belongs to.
    package let zone: ZoneID
    /// The payload.
    package let payload: PayloadID
    /// The payload's state at the relay.
    package let outcome: Outcome

    /// Makes an answer.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, payload: PayloadID, outcome: Outcome) {
        self.zone = zone
        self.payload = payload
        self.outcome = outcome
    }
}

extension CustodyAnswer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(payload)
        switch outcome {
        case .stored(let until):
            writer.writeByte(1)
            writer.writeVarint(until)
        case .full: writer.writeByte(2)
        case .refused: writer.writeByte(3)
        case .released: writer.writeByte(4)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        payload = try PayloadID(from: &reader)
        switch try reader.readByte() {
        case 1: outcome = .stored(until: try reader.readVarint())
        case 2: outcome = .full
        case 3: outcome = .refused
        case 4: outcome = .released
        case let tag: throw .unknownTag(UInt64(tag))
        }
    }
}
