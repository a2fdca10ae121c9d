/// Refuses to take the receiver in, with a coarse code; the reason in full stays in the refusing side's own log.
///
/// ```
/// +--------+
/// | code 1 |
/// +--------+
/// ```
package struct PairRefusal: Hashable, Sendable {
    /// The code; receivers take unknown ones for a plain no.
    package var code: UInt8

    /// Makes a message.
    package init(code: UInt8) {
        self.code = code
    }
}

extension PairRefusal: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(code)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        code = try reader.readByte()
    }
}
