/// Refuses a request to join, with a coarse code; the reason in full stays in the refusing side's own log.
///
/// ```
/// +--------+
/// | code 1 |
/// +--------+
/// ```
package struct JoinRefusal: Hashable, Sendable {
    /// The code; receivers take unknown ones for a plain no.
    package var code: UInt8

    /// Makes a message.
    package init(code: UInt8) {
        self.code = code
    }

    /// Makes a message.
    package init(_ code: JoinRefusalCode) {
        self.init(code: code.rawValue)
    }

    /// The meaning of the code; `refused` for a code that this version does not know.
    package var meaning: JoinRefusalCode { JoinRefusalCode(rawValue: code) ?? .refused }
}

extension JoinRefusal: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(code)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        code = try reader.readByte()
    }
}
