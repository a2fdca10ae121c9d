/// Everything about one write except its body.
///
/// ```
/// +------+-----------+-----------------+-------+   leafPrefixBytes is 0x00 and these three fields
/// |  1   | tag 32 B  | creation (Dot)  | batch |
/// +------+-----------+-----------------+-------+
/// +------------------+-----------------+--------------------+-------------+----------+---------------+
/// | counter (varint) | vector          | controlHeads 32 B  | epoch 32 B  | time 8 B | bodyHash 32 B |
/// +------------------+-----------------+--------------------+-------------+----------+---------------+
///                    restBytes is the format byte 1 and these six fields
/// ```
///
/// The log's leaf is a hash over `leafPrefixBytes` and the hash of `restBytes`.
package struct OperationHeader: Hashable, Sendable {
    /// The place in the author's log: leaf index + 1.
    package var counter: UInt64
    /// The record's tag.
    package var tag: RecordTag
    /// The record's vector after the write; holds (author, counter).
    package var vector: VersionVector
    /// The write that created the record.
    package var creation: Dot
    /// The author's view of the control log: in the data lane the last promotion of a schema, else the hash of the
    /// control heads; zero = nothing seen.
    package var controlHeads: Hash
    /// The key epoch of the body; zero = in clear.
    package var epoch: Hash
    /// The author's clock.
    package var time: HybridTime
    /// The place in the atomic batch.
    package var batch: BatchPlace
    /// Hash of the body's bytes.
    package var bodyHash: Hash

    /// Makes a header.
    /// - Parameters: as the properties of the same names.
    package init(
        counter: UInt64,
        tag: RecordTag,
        vector: VersionVector,
        creation: Dot,
        controlHeads: Hash,
        epoch: Hash,
        time: HybridTime,
        batch: BatchPlace,
        bodyHash: Hash
    ) {
        self.counter = counter
        self.tag = tag
        self.vector = vector
        self.creation = creation
        self.controlHeads = controlHeads
        self.epoch = epoch
        self.time = time
        self.batch = batch
        self.bodyHash = bodyHash
    }

    /// The format that this code writes and reads.
    package static let format: UInt8 = 1
}

extension OperationHeader: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.format)
        LeafPlace(tag: tag, creation: creation, batch: batch).encode(into: &writer)
        encodeRest(into: &writer)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        try reader.readFormat(Self.format)
        let place = try LeafPlace(from: &reader)
        tag = place.tag
        creation = place.creation
        batch = place.batch
        counter = try reader.readCounter(minimum: 1)
        vector = try VersionVector(from: &reader)
        controlHeads = Hash(try reader.readDigest())
        epoch = Hash(try reader.readDigest())
        time = try HybridTime(from: &reader)
        bodyHash = Hash(try reader.readDigest())
    }

    private func encodeRest(into writer: inout WireWriter) {
        writer.writeVarint(counter)
        writer.write(vector)
        writer.write(controlHeads)
        writer.write(epoch)
        writer.write(time)
        writer.write(bodyHash)
    }
}

extension OperationHeader {
    /// The beginning of the leaf's preimage: 0x00, tag, creation, batch place.
    package var leafPrefixBytes: [UInt8] {
        LeafPlace(tag: tag, creation: creation, batch: batch).prefixBytes
    }

    /// The preimage of the leaf's `rest` hash: the format byte and all fields that are not in the prefix.
    package var restBytes: [UInt8] {
        var writer = WireWriter(capacity: 128 + vector.count * (Dot.byteCountMin + 9))
        writer.writeByte(Self.format)
        encodeRest(into: &writer)
        return writer.bytes
    }
}

extension WireReader {
    /// Reads a format byte.
    /// - Throws: `.truncated`; `.unknownTag` for any other format.
    mutating func readFormat(_ format: UInt8) throws(WireError) {
        let byte = try readByte()
        guard byte == format else { throw .unknownTag(UInt64(byte)) }
    }
}
