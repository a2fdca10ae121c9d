/// One of the keys by which an account's devices find and call each other.
///
/// ```
/// +----------+--------+----------------+-------------+
/// | entry 32 | key 32 | retired varint | days varint |
/// +----------+--------+----------------+-------------+
/// ```
///
/// Travels only inside a channel; it has no description, so that no log shows it by accident.
package struct FleetSecret: Hashable, Sendable {
    /// The number of bytes of the key.
    package static let keyByteCount = 32
    /// The fewest bytes of one.
    package static let byteCountMin = Digest32.byteCount + keyByteCount + 2

    /// The entry of the account log that made the key; zeros for the one with which the account was made.
    package let entry: Hash
    /// The key.
    package let key: [UInt8]
    /// The time since when the sending device counts the next one of ``days``: milliseconds since 1970 by its clock.
    ///
    /// It is 0 for the present key.
    package let retired: UInt64
    /// The number of days that the device has counted since another key replaced it; 0 for the present key.
    package let days: UInt64

    /// Takes over a key.
    /// - Parameters:
    ///   - entry: The entry that made it.
    ///   - key: 32 bytes.
    ///   - retired: The time since which the next day is counted; 0 for the present key.
    ///   - days: The days that were counted since another took its place; 0 for the present key.
    /// - Precondition: the key has 32 bytes, and the present one no days.
    package init(entry: Hash, key: [UInt8], retired: UInt64 = 0, days: UInt64 = 0) {
        precondition(retired != 0 || days == 0, "no days are counted of the present fleet key")
        precondition(key.count == Self.keyByteCount, "a fleet key has 32 bytes")
        self.entry = entry
        self.key = key
        self.retired = retired
        self.days = days
    }
}

extension FleetSecret: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(entry)
        writer.writeFixed(key, count: Self.keyByteCount)
        writer.writeVarint(retired)
        writer.writeVarint(days)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        entry = Hash(try reader.readDigest())
        key = try reader.readFixed(Self.keyByteCount)
        retired = try reader.readVarint()
        days = try reader.readVarint()
        guard retired != 0 || days == 0 else { throw .invalidValue("days") }
    }
}

extension FleetSecret: UnprintedSecret {
    package var description: String { "FleetSecret" }
}
