/// Why a peer asks for nothing more for now.
package enum PauseReason: UInt8, Hashable, CaseIterable, Sendable {
    /// Its disk is full; runs would be lost work.
    case diskFull = 1
    /// It is overloaded.
    case busy = 2
}

/// Asks for no more runs until `resume` is sent.
///
/// ```
/// +----------+
/// | reason 1 |
/// +----------+
/// ```
package struct Pause: Hashable, Sendable {
    /// Why.
    package var reason: PauseReason

    /// Makes a message.
    package init(reason: PauseReason) {
        self.reason = reason
    }
}

extension Pause: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(reason.rawValue)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        guard let reason = PauseReason(rawValue: try reader.readByte()) else { throw .invalidValue("reason") }
        self.reason = reason
    }
}
