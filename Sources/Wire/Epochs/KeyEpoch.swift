/// A new key of a zone, for each device that may read the records written from now on.
///
/// ```
/// +---------------------------+------------+--------------------------+-----------------------------+
/// | previous: count × hash 32 | confirm 32 | chain: count × ChainLink | envelopes: count × Envelope |
/// +---------------------------+------------+--------------------------+-----------------------------+
///   all lists strictly ascending; each link's epoch is among the previous ones
/// ```
///
/// The epoch is named by the hash of the control operation that carries this.
package struct KeyEpoch: Hashable, Sendable {
    /// The epochs that it follows, ascending: the last ones that its author knew.
    package let previous: [Hash]
    /// The key's confirm tag: devices that have opened an envelope compare it, to check that all got the same key.
    package let confirm: Hash
    /// The keys of previous epochs, for devices that have this epoch's key; only those that its readers may read.
    package let chain: [ChainLink]
    /// The key, for each device, ascending.
    package let envelopes: [KeyEnvelope]

    /// Begins an epoch, and sorts the lists.
    /// - Parameters: as the properties of the same names.
    package init(previous: [Hash], confirm: Hash, chain: [ChainLink], envelopes: [KeyEnvelope]) {
        self.previous = previous.inWireOrder()
        self.confirm = confirm
        self.chain = chain.inWireOrder()
        self.envelopes = envelopes.inWireOrder()
    }
}

extension KeyEpoch: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(previous)
        writer.write(confirm)
        writer.writeList(chain)
        writer.writeList(envelopes)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        previous = try reader.readAscending(
            maximum: Limits.epochPreviousCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        confirm = Hash(try reader.readDigest())
        chain = try reader.readAscending(
            maximum: Limits.epochPreviousCountMax,
            itemByteCountMin: ChainLink.byteCount
        )
        envelopes = try reader.readAscending(
            maximum: Limits.envelopeCountMax,
            itemByteCountMin: KeyEnvelope.byteCountMin
        )
        guard Set(previous).isSuperset(of: chain.map(\.epoch)) else { throw .invalidValue("chain") }
    }
}
