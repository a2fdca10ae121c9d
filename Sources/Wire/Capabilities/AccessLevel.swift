/// The level of access that a capability gives its audience; each level includes the ones before it.
///
/// ```
/// +---------+
/// | level 1 |   1 relay, 2 read, 3 append, 4 write, 5 admin
/// +---------+
/// ```
package enum AccessLevel: UInt8, Hashable, CaseIterable, Sendable {
    /// Carry operations that it cannot read.
    case relay = 1
    /// Read the whole zone.
    case read = 2
    /// Make new records, and nothing of those of others.
    case append = 3
    /// Make, change and delete records.
    case write = 4
    /// Rule the zone: grant, and revoke the descendants of its own grants.
    case admin = 5
}

extension AccessLevel: Comparable {
    /// The order of the levels.
    package static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension AccessLevel: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(rawValue)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        guard let level = AccessLevel(rawValue: try reader.readByte()) else { throw .invalidValue("level") }
        self = level
    }
}

/// A level, and whether it may be delegated.
///
/// ```
/// +---------+---------------+
/// | level 1 | canDelegate 1 |
/// +---------+---------------+
/// ```
package struct Rights: Hashable, Sendable {
    /// The level of access.
    package let level: AccessLevel
    /// Whether the audience may issue capabilities below this one.
    package let canDelegate: Bool

    /// Joins a level with the right to delegate it.
    package init(_ level: AccessLevel, canDelegate: Bool = false) {
        self.level = level
        self.canDelegate = canDelegate
    }
}

extension Rights: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(level)
        writer.writeBool(canDelegate)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        level = try AccessLevel(from: &reader)
        canDelegate = try reader.readBool()
    }
}
