/// The removal of a device from its account.
///
/// ```
/// +-------------+--------------+-------------------+---------------------------+
/// | device 32 B | count varint | count × hash 32 B | 0, or 1 and a device 32 B |   hashes strictly ascending
/// +-------------+--------------+-------------------+---------------------------+
/// ```
///
/// It names no zone, so its size does not depend on the device's writes: in each zone, ``DeviceCuts`` state how much
/// of them is effective.
package struct DeviceRemoval: Hashable, Sendable {
    /// The device that is removed.
    package let device: DeviceID
    /// Heads of the device's part of the account log that stays effective, ascending.
    package let keeping: [Hash]
    /// The device whose ``DeviceCuts`` take precedence; `nil` where none is known to have had all of the removed
    /// device's writes.
    package let witness: DeviceID?

    /// Describes a removal, and sorts the heads.
    package init(of device: DeviceID, keeping: [Hash], witness: DeviceID?) {
        self.device = device
        self.keeping = keeping.inWireOrder()
        self.witness = witness
    }
}

extension DeviceRemoval: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(device)
        writer.writeList(keeping)
        writer.writeOptional(witness)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        device = try DeviceID(from: &reader)
        keeping = try reader.readAscending(
            maximum: Limits.accountHeadCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        witness = try reader.readOptional()
    }
}
