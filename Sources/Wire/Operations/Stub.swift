/// What a superseded operation leaves in its log: enough to compute the leaf, nothing of the content.
///
/// ```
/// +-----------+----------------+-------+-----------+
/// | tag 32 B  | creation (Dot) | batch | rest 32 B |
/// +-----------+----------------+-------+-----------+
/// ```
package struct Stub: Hashable, Sendable {
    /// Which record.
    package var tag: RecordTag
    /// The write that created the record.
    package var creation: Dot
    /// The place in the atomic batch.
    package var batch: BatchPlace
    /// The hash of the header's other fields, see `OperationHeader.restBytes`.
    package var rest: Hash

    /// Makes a stub.
    /// - Parameters: as the properties of the same names.
    package init(tag: RecordTag, creation: Dot, batch: BatchPlace, rest: Hash) {
        self.tag = tag
        self.creation = creation
        self.batch = batch
        self.rest = rest
    }

    /// The beginning of the leaf's preimage, the same as the operation's own.
    package var leafPrefixBytes: [UInt8] {
        LeafPlace(tag: tag, creation: creation, batch: batch).prefixBytes
    }
}

extension Stub: WireCodable {
    package func encode(into writer: inout WireWriter) {
        LeafPlace(tag: tag, creation: creation, batch: batch).encode(into: &writer)
        writer.write(rest)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let place = try LeafPlace(from: &reader)
        tag = place.tag
        creation = place.creation
        batch = place.batch
        rest = Hash(try reader.readDigest())
    }
}
