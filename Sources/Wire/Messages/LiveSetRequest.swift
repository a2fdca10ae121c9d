/// Asks for a page of the live set under the checkpoint that a peer has adopted.
///
/// ```
/// +-----------+-----------------------------------------+
/// | zone 32 B | optional: checkpoint 32 B, after 32 B   |   none = from the beginning, whichever it has adopted
/// +-----------+-----------------------------------------+
/// ```
package struct LiveSetRequest: Hashable, Sendable {
    /// The end of the page before.
    package struct Place: Hashable, Sendable {
        /// The checkpoint that it was under.
        package let checkpoint: Hash
        /// Its last record.
        package let after: RecordTag

        /// Names a place.
        package init(checkpoint: Hash, after: RecordTag) {
            (self.checkpoint, self.after) = (checkpoint, after)
        }
    }

    /// The zone.
    package let zone: ZoneID
    /// The place that the page follows; nil for the first page.
    package let place: Place?

    /// Asks for a page.
    package init(zone: ZoneID, place: Place? = nil) {
        (self.zone, self.place) = (zone, place)
    }
}

extension LiveSetRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.writeOptional(place)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        place = try reader.readOptional()
    }
}

extension LiveSetRequest.Place: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(checkpoint)
        writer.write(after)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        checkpoint = try Hash(from: &reader)
        after = try RecordTag(from: &reader)
    }
}
