/// The state of one log at the sender.
///
/// ```
/// +-------------+------------------+----------------------+--------+-------------+-----------+
/// | device 32 B | incarnation 16 B | right: optional 32 B | lane 1 | size varint | root 32 B |
/// +-------------+------------------+----------------------+--------+-------------+-----------+
///   a right of zero is left out
/// ```
package struct LogState: Hashable, Sendable {
    /// The device whose log this is.
    package var device: DeviceID
    /// The incarnation of the device's store.
    package var incarnation: Incarnation
    /// The right that it is written under.
    package var right: Hash
    /// The lane.
    package var lane: Lane
    /// The number of leaves.
    package var size: UInt64
    /// Root of the tree of that size.
    package var root: Hash

    /// States a log.
    package init(device: DeviceID, incarnation: Incarnation, right: Hash, lane: Lane, size: UInt64, root: Hash) {
        self.device = device
        self.incarnation = incarnation
        self.right = right
        self.lane = lane
        self.size = size
        self.root = root
    }
}

/// The state of one zone at the sender.
///
/// ```
/// +-----------+-------------+--------------+------------------+-----------------+--------------+
/// | zone 32 B | ZoneGenesis | count varint | count × LogState | checkpoint 32 B | wantsReply 1 |
/// +-----------+-------------+--------------+------------------+-----------------+--------------+
///   logs strictly ascending by device, incarnation, right, lane
/// ```
package struct ZoneState: Hashable, Sendable {
    /// The zone.
    package let zone: ZoneID
    /// The zone's genesis, for a receiver that does not hold the zone yet.
    package let genesis: ZoneGenesis
    /// Its logs, ascending.
    package let logs: [LogState]
    /// The checkpoint adopted; zero = none.
    package let checkpoint: Hash
    /// Whether the receiver should state the zone too.
    package let wantsReply: Bool

    /// Makes a message, and sorts the logs.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, genesis: ZoneGenesis, logs: [LogState], checkpoint: Hash, wantsReply: Bool) {
        self.zone = zone
        self.genesis = genesis
        self.logs = logs.inWireOrder()
        self.checkpoint = checkpoint
        self.wantsReply = wantsReply
    }
}

extension LogState {
    /// The order of logs named by device.
    package struct Order: Comparable, Sendable {
        let device: DeviceID
        let incarnation: Incarnation
        let right: Hash
        let lane: Lane

        /// By device, then incarnation, then right, then lane.
        package static func < (left: Self, right: Self) -> Bool {
            if left.device != right.device { return left.device < right.device }
            if left.incarnation != right.incarnation { return left.incarnation < right.incarnation }
            if left.right != right.right { return left.right < right.right }
            return left.lane < right.lane
        }
    }
}

extension LogState: WireCodable, WireOrdered {
    package var orderKey: Order { Order(device: device, incarnation: incarnation, right: right, lane: lane) }

    package func encode(into writer: inout WireWriter) {
        writer.write(device)
        writer.write(incarnation)
        writer.writeOptional(right.isZero ? nil : right)
        writer.write(lane)
        writer.writeVarint(size)
        writer.write(root)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        device = try DeviceID(from: &reader)
        incarnation = try Incarnation(from: &reader)
        let right = try reader.readOptional(Hash.self)
        guard right?.isZero != true else { throw .invalidValue("right") }
        self.right = right ?? .zero
        lane = try Lane(from: &reader)
        size = try reader.readCounter(minimum: 0)
        root = try Hash(from: &reader)
    }
}

extension ZoneState: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(genesis)
        writer.writeList(logs)
        writer.write(checkpoint)
        writer.writeBool(wantsReply)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        genesis = try ZoneGenesis(from: &reader)
        logs = try reader.readAscending(maximum: Limits.logCountMax, itemByteCountMin: 83)
        checkpoint = try Hash(from: &reader)
        wantsReply = try reader.readBool()
    }
}
