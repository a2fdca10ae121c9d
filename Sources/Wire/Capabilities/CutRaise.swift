/// The owner's statement that more of the logs under an ended capability is effective than another account's cut
/// allows.
///
/// ```
/// +-----------------+--------------+---------------------+
/// | capability 32 B | count varint | count × LogPosition |   strictly ascending
/// +-----------------+--------------+---------------------+
/// ```
package struct CutRaise: Hashable, Sendable {
    /// The id of the capability.
    package let capability: Hash
    /// The sizes of logs under it that are effective at least, ascending; a log that is not listed stays as it was.
    package let cuts: [LogPosition]

    /// Raises cuts, and sorts them.
    package init(capability: Hash, cuts: [LogPosition]) {
        self.capability = capability
        self.cuts = cuts.inWireOrder()
    }
}

extension CutRaise: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(capability)
        writer.writeList(cuts)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        capability = try Hash(from: &reader)
        cuts = try reader.readCuts()
    }
}
