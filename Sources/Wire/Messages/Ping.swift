/// Asks for a sign of life.
///
/// ```
/// +---------+-------------------------+
/// | nonce 8 | wallMilliseconds varint |
/// +---------+-------------------------+
/// ```
package struct Ping: Hashable, Sendable {
    /// A number that the answer repeats.
    package var nonce: UInt64
    /// The sender's wall clock in milliseconds since 1970.
    package var wallMilliseconds: UInt64

    /// Makes a message.
    package init(nonce: UInt64, wallMilliseconds: UInt64) {
        self.nonce = nonce
        self.wallMilliseconds = wallMilliseconds
    }
}

/// The answer to a `Ping`, in the same form.
///
/// ```
/// +---------+-------------------------+
/// | nonce 8 | wallMilliseconds varint |
/// +---------+-------------------------+
/// ```
package struct Pong: Hashable, Sendable {
    /// The number of the ping.
    package var nonce: UInt64
    /// The answering side's wall clock in milliseconds since 1970.
    package var wallMilliseconds: UInt64

    /// Makes a message.
    package init(nonce: UInt64, wallMilliseconds: UInt64) {
        self.nonce = nonce
        self.wallMilliseconds = wallMilliseconds
    }
}

extension Ping: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeUInt64(nonce)
        writer.writeVarint(wallMilliseconds)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        nonce = try reader.readUInt64()
        wallMilliseconds = try reader.readVarint()
    }
}

extension Pong: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeUInt64(nonce)
        writer.writeVarint(wallMilliseconds)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        nonce = try reader.readUInt64()
        wallMilliseconds = try reader.readVarint()
    }
}
