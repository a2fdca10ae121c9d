/// The state that the owner's account declares final: the covered size of each log, and the live set.
///
/// ```
/// +--------------+---------------------+---------------+------------------+
/// | count varint | count × LogPosition | liveRoot 32 B | liveCount varint |   logs strictly ascending
/// +--------------+---------------------+---------------+------------------+
/// +--------------+--------------------+---------------+
/// | count varint | count × lapsed 32B | previous 32 B |                      devices strictly ascending
/// +--------------+--------------------+---------------+
/// ```
package struct Checkpoint: Hashable, Sendable {
    /// The logs with the sizes covered, ascending by actor and lane.
    package let logs: [LogPosition]
    /// Merkle root of the live set, sorted by tag.
    package let liveRoot: Hash
    /// The number of records in the live set.
    package let liveCount: UInt64
    /// Devices that have been silent for too long to be waited for, ascending.
    package let lapsed: [DeviceID]
    /// The checkpoint adopted before; zero = none.
    package let previous: Hash

    /// Makes a checkpoint, and sorts logs and devices.
    /// - Parameters: as the properties of the same names.
    package init(logs: [LogPosition], liveRoot: Hash, liveCount: UInt64, lapsed: [DeviceID], previous: Hash) {
        self.logs = logs.inWireOrder()
        self.liveRoot = liveRoot
        self.liveCount = liveCount
        self.lapsed = lapsed.inWireOrder()
        self.previous = previous
    }
}

extension Checkpoint: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(logs)
        writer.write(liveRoot)
        writer.writeVarint(liveCount)
        writer.writeList(lapsed)
        writer.write(previous)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        logs = try reader.readAscending(
            maximum: Limits.logCountMax,
            itemByteCountMin: LogPosition.byteCountMin
        )
        liveRoot = try Hash(from: &reader)
        liveCount = try reader.readVarint()
        lapsed = try reader.readAscending(
            maximum: Limits.lapsedDeviceCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        previous = try Hash(from: &reader)
    }
}
