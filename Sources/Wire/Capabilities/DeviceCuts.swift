/// The effective sizes of removed devices' logs in a zone, as a device of their account states them.
///
/// ```
/// +--------------+---------------------+--------------+---------------------+
/// | count varint | count × device 32 B | count varint | count × LogPosition |   both strictly ascending
/// +--------------+---------------------+--------------+---------------------+
/// ```
///
/// It concerns logs under the right that it is written under. `docs/protocol/positions.md` has the bounds of its
/// effect.
package struct DeviceCuts: Hashable, Sendable {
    /// The devices, ascending.
    package let devices: [DeviceID]
    /// The effective sizes of their logs, ascending; a log that is not listed is cut at zero.
    package let cuts: [LogPosition]

    /// States cuts, and sorts both lists.
    package init(devices: [DeviceID], cuts: [LogPosition]) {
        self.devices = devices.inWireOrder()
        self.cuts = cuts.inWireOrder()
    }
}

extension DeviceCuts: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(devices)
        writer.writeList(cuts)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        devices = try reader.readAscending(
            maximum: Limits.removedDeviceCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        cuts = try reader.readCuts()
    }
}
