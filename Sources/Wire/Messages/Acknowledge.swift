/// The size up to which one log is durable at the sender.
///
/// ```
/// +------------+--------+-------------+
/// | actor 32 B | lane 1 | size varint |
/// +------------+--------+-------------+
/// ```
package struct AcknowledgedLog: Hashable, Sendable {
    /// The actor whose log this is.
    package var actor: ActorID
    /// The lane, which selects one of the actor's two logs.
    package var lane: Lane
    /// The number of leaves.
    package var size: UInt64

    /// States a log.
    package init(actor: ActorID, lane: Lane, size: UInt64) {
        self.actor = actor
        self.lane = lane
        self.size = size
    }
}

/// States the log sizes that are durable at the sender now: committed, so that they survive a crash.
///
/// ```
/// +-----------+--------------+-------------------------+
/// | zone 32 B | count varint | count × AcknowledgedLog |   strictly ascending by actor and lane
/// +-----------+--------------+-------------------------+
/// ```
package struct Acknowledge: Hashable, Sendable {
    /// The zone.
    package let zone: ZoneID
    /// The logs, ascending.
    package let logs: [AcknowledgedLog]

    /// Makes a message, and sorts the logs.
    package init(zone: ZoneID, logs: [AcknowledgedLog]) {
        self.zone = zone
        self.logs = logs.inWireOrder()
    }
}

extension AcknowledgedLog: WireCodable, WireOrdered {
    package var orderKey: ActorLane { ActorLane(actor: actor, lane: lane) }

    package func encode(into writer: inout WireWriter) {
        writer.write(actor)
        writer.write(lane)
        writer.writeVarint(size)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        actor = try ActorID(from: &reader)
        lane = try Lane(from: &reader)
        size = try reader.readCounter(minimum: 0)
    }
}

extension Acknowledge: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.writeList(logs)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        logs = try reader.readAscending(maximum: Limits.logCountMax, itemByteCountMin: 34)
    }
}
