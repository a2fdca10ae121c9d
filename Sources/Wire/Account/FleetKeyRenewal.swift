/// Another key of the account's own devices, for each of those that are to have it.
///
/// ```
/// +------------+-------------------------------+
/// | confirm 32 | envelopes: count × KeyEnvelope |
/// +------------+-------------------------------+
///   strictly ascending
/// ```
///
/// The key's generation is named by the hash of the account entry that carries this.
package struct FleetKeyRenewal: Hashable, Sendable {
    /// The confirmation hash, which each device compares after it has opened an envelope or was given the key.
    package let confirm: Hash
    /// The key, for each device, ascending.
    package let envelopes: [KeyEnvelope]

    /// Makes a renewal, and sorts the envelopes.
    /// - Parameters: as the properties of the same names.
    package init(confirm: Hash, envelopes: [KeyEnvelope]) {
        self.confirm = confirm
        self.envelopes = envelopes.inWireOrder()
    }
}

extension FleetKeyRenewal: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(confirm)
        writer.writeList(envelopes)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        confirm = Hash(try reader.readDigest())
        envelopes = try reader.readAscending(
            maximum: Limits.fleetEnvelopeCountMax,
            itemByteCountMin: KeyEnvelope.byteCountMin
        )
    }
}
