/// An author's assertion about one of its logs: the number of operations, and their root.
///
/// ```
/// +------+-----------+-------------+------------------+--------+-------------+-----------+
/// |  1   | zone 32 B | device 32 B | incarnation 16 B | lane 1 | size varint | root 32 B |
/// +------+-----------+-------------+------------------+--------+-------------+-----------+
/// +-----------------+------------------------+
/// | right 32 B      | seen: VersionVector    |
/// +-----------------+------------------------+
/// ```
package struct TreeHead: Hashable, Sendable {
    /// The zone.
    package var zone: ZoneID
    /// The device that signs.
    package var device: DeviceID
    /// The incarnation of the device's store; device, incarnation and right together are the actor.
    package var incarnation: Incarnation
    /// The lane, which selects one of the actor's two logs.
    package var lane: Lane
    /// The number of leaves, at least 1.
    package var size: UInt64
    /// Root of the tree.
    package var root: Hash
    /// The right that the log is written under: zero for the account that the zone's genesis names, else the id of a
    /// capability, or the hash of the transfer that made the account the owner.
    package var right: Hash
    /// Sizes of the other actors' logs of the same lane that the author had applied.
    package var seen: VersionVector

    /// Makes a head.
    /// - Parameters: as the properties of the same names.
    package init(
        zone: ZoneID,
        device: DeviceID,
        incarnation: Incarnation,
        lane: Lane,
        size: UInt64,
        root: Hash,
        right: Hash,
        seen: VersionVector
    ) {
        self.zone = zone
        self.device = device
        self.incarnation = incarnation
        self.lane = lane
        self.size = size
        self.root = root
        self.right = right
        self.seen = seen
    }

    /// The format that this code writes and reads.
    package static let format: UInt8 = 1

    /// Whether both heads name the same log.
    package func isSameLog(as other: TreeHead) -> Bool {
        zone == other.zone && device == other.device && incarnation == other.incarnation && right == other.right
            && lane == other.lane
    }
}

extension TreeHead: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.format)
        writer.write(zone)
        writer.write(device)
        writer.write(incarnation)
        writer.write(lane)
        writer.writeVarint(size)
        writer.write(root)
        writer.write(right)
        writer.write(seen)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        try reader.readFormat(Self.format)
        zone = try ZoneID(from: &reader)
        device = try DeviceID(from: &reader)
        incarnation = try Incarnation(from: &reader)
        lane = try Lane(from: &reader)
        size = try reader.readCounter(minimum: 1)
        root = try Hash(from: &reader)
        right = try Hash(from: &reader)
        seen = try VersionVector(from: &reader)
    }
}

extension TreeHead: SignedBody {
    package static var signedByteCountMax: Int { Limits.treeHeadByteCountMax }
}

/// A tree head with its signature, which holding it here does not verify.
package typealias SignedTreeHead = Signed<TreeHead>

extension SignedTreeHead {
    /// The head that is signed.
    package var head: TreeHead { body }
}
