/// A log: one actor's control or data operations in one zone.
///
/// ```
/// +-----------+------------+--------+
/// | zone 32 B | actor 32 B | lane 1 |
/// +-----------+------------+--------+
/// ```
package struct LogKey: Hashable, Comparable, Sendable {
    /// The zone.
    package let zone: ZoneID
    /// The actor whose log this is.
    package let actor: ActorID
    /// The lane, which selects one of the actor's two logs.
    package let lane: Lane

    /// Names a log.
    package init(zone: ZoneID, actor: ActorID, lane: Lane) {
        self.zone = zone
        self.actor = actor
        self.lane = lane
    }

    /// The log's name within its zone.
    package var actorLane: ActorLane { ActorLane(actor: actor, lane: lane) }

    /// By zone, then actor, then lane.
    package static func < (left: Self, right: Self) -> Bool {
        left.zone == right.zone ? left.actorLane < right.actorLane : left.zone < right.zone
    }
}

extension LogKey: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(actor)
        writer.write(lane)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        actor = try ActorID(from: &reader)
        lane = try Lane(from: &reader)
    }
}

/// A log within a zone; the order of logs in every list.
package struct ActorLane: Hashable, Comparable, Sendable {
    /// The actor whose log this is.
    package let actor: ActorID
    /// The lane, which selects one of the actor's two logs.
    package let lane: Lane

    /// Names a log within a zone.
    package init(actor: ActorID, lane: Lane) {
        self.actor = actor
        self.lane = lane
    }

    /// By actor, then lane.
    package static func < (left: Self, right: Self) -> Bool {
        left.actor == right.actor ? left.lane < right.lane : left.actor < right.actor
    }
}
