/// An account's word on how much of a device that it removed counts in a zone.
///
/// ```
/// +-------------+--------------+---------------------+
/// | device 32 B | count varint | count × LogPosition |   strictly ascending
/// +-------------+--------------+---------------------+
/// ```
package struct DeviceCut: Hashable, Sendable {
    /// The removed device.
    package let device: DeviceID
    /// Up to where its logs count under the right by which this is said, ascending; one that is not listed is cut at zero.
    package let cuts: [LogPosition]

    /// States cuts, which are put in order.
    package init(device: DeviceID, cuts: [LogPosition]) {
        self.device = device
        self.cuts = cuts.inWireOrder()
    }
}

extension DeviceCut: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(device)
        writer.writeList(cuts)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        device = try DeviceID(from: &reader)
        cuts = try reader.readCuts()
    }
}
