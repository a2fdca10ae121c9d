/// The answer to a request for the outline of a payload.
///
/// ```
/// +-----------+--------------+----------------+
/// | zone 32 B | payload 32 B | PayloadOutline |
/// +-----------+--------------+----------------+
/// ```
package struct PayloadOutlineMessage: Hashable, Sendable {
    /// The zone that the request named.
    package let zone: ZoneID
    /// The payload that the request named; the outline may be that of another one, which the receiver finds out.
    package let payload: PayloadID
    /// The outline.
    package let outline: PayloadOutline

    /// Answers with an outline.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, payload: PayloadID, outline: PayloadOutline) {
        (self.zone, self.payload, self.outline) = (zone, payload, outline)
    }
}

extension PayloadOutlineMessage: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(payload)
        writer.write(outline)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        payload = try PayloadID(from: &reader)
        outline = try PayloadOutline(from: &reader)
    }
}
