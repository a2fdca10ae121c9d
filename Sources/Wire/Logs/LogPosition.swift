/// A log of a zone up to a size, pinned by its root: the part that a checkpoint covers, or that a cut keeps
/// effective.
///
/// ```
/// +------------+--------+-------------+-----------+
/// | actor 32 B | lane 1 | size varint | root 32 B |
/// +------------+--------+-------------+-----------+
/// ```
package struct LogPosition: Hashable, Sendable {
    /// The actor whose log this is.
    package var actor: ActorID
    /// The lane, which selects one of the actor's two logs.
    package var lane: Lane
    /// The number of leaves; 0 = none of the log.
    package var size: UInt64
    /// Root of the tree of that size.
    package var root: Hash

    /// Names a position.
    package init(actor: ActorID, lane: Lane, size: UInt64, root: Hash) {
        self.actor = actor
        self.lane = lane
        self.size = size
        self.root = root
    }

    /// The log's name within its zone.
    package var key: ActorLane { ActorLane(actor: actor, lane: lane) }
}

extension LogPosition: WireCodable, WireOrdered {
    package var orderKey: ActorLane { key }

    package func encode(into writer: inout WireWriter) {
        writer.write(actor)
        writer.write(lane)
        writer.writeVarint(size)
        writer.write(root)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        actor = try ActorID(from: &reader)
        lane = try Lane(from: &reader)
        size = try reader.readCounter(minimum: 0)
        root = try Hash(from: &reader)
    }

    /// The shortest encoding.
    static var byteCountMin: Int { 66 }
}
