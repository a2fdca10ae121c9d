/// Ends every capability whose audience is the author's account.
///
/// ```
/// +--------------+---------------------+
/// | count varint | count × LogPosition |   strictly ascending
/// +--------------+---------------------+
/// ```
package struct Leave: Hashable, Sendable {
    /// The effective sizes of the leaver's own logs, ascending; a log that is not listed is cut at zero.
    package let cuts: [LogPosition]

    /// Leaves, and sorts the cuts.
    package init(cuts: [LogPosition] = []) {
        self.cuts = cuts.inWireOrder()
    }
}

extension Leave: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(cuts)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        cuts = try reader.readCuts()
    }
}
