/// Asks which payloads a device holds, and whether it promises to keep them.
///
/// ```
/// +-----------+-----------+--------------+----------------------+
/// | zone 32 B | promise 1 | count varint | count × payload 32 B |   1 … 64, strictly ascending
/// +-----------+-----------+--------------+----------------------+
/// ```
package struct RetentionRequest: Hashable, Sendable {
    /// A zone whose records name the payloads, and that both devices may read.
    package let zone: ZoneID
    /// Whether promises are asked for; else the answer says what the device holds, and binds it to nothing.
    package let asksForPromises: Bool
    /// The payloads, ascending; 1 to `Limits.retentionCountMax`.
    package let payloads: [PayloadID]

    /// Makes a request, and sorts the payloads.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, asksForPromises: Bool, payloads: [PayloadID]) {
        self.zone = zone
        self.asksForPromises = asksForPromises
        self.payloads = payloads.inWireOrder()
    }
}

extension RetentionRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.writeBool(asksForPromises)
        writer.writeList(payloads)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        asksForPromises = try reader.readBool()
        payloads = try reader.readAscending(
            maximum: Limits.retentionCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        guard !payloads.isEmpty else { throw .invalidValue("payloads") }
    }
}
