/// The key of an existing epoch, for further devices; or for all accounts.
///
/// ```
/// +----------+-----------------------+-----------------------------+
/// | epoch 32 | disclosed optional 32 | envelopes: count × Envelope |   strictly ascending
/// +----------+-----------------------+-----------------------------+
/// ```
///
/// A key is disclosed when its zone is opened to the public: records sealed before are then as readable as those
/// written from then on.
package struct KeyDelivery: Hashable, Sendable {
    /// The epoch.
    package let epoch: Hash
    /// Its key, for all devices that hold the control log; `nil` when it is for the devices that follow alone.
    package let disclosed: Hash?
    /// The key, for each device, ascending.
    package let envelopes: [KeyEnvelope]

    /// Delivers a key, and sorts the envelopes.
    /// - Parameters: as the properties of the same names.
    package init(epoch: Hash, disclosed: Hash? = nil, envelopes: [KeyEnvelope] = []) {
        self.epoch = epoch
        self.disclosed = disclosed
        self.envelopes = envelopes.inWireOrder()
    }
}

extension KeyDelivery: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(epoch)
        writer.writeOptional(disclosed)
        writer.writeList(envelopes)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        epoch = Hash(try reader.readDigest())
        disclosed = try reader.readOptional()
        envelopes = try reader.readAscending(
            maximum: Limits.envelopeCountMax,
            itemByteCountMin: KeyEnvelope.byteCountMin
        )
    }
}
