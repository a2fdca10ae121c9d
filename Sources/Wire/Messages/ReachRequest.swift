/// Asks the peer to try whether it can connect to the sender.
///
/// ```
/// +---------------+
/// | number varint |
/// +---------------+
/// ```
///
/// It names no address and no port: the peer tries the one at which it knows the sender, so that no sender makes it
/// connect to another machine.
package struct ReachRequest: Hashable, Sendable {
    /// Stands in the answer again.
    package let number: UInt64

    /// Makes a request.
    package init(number: UInt64) { self.number = number }
}

extension ReachRequest: WireCodable {
    package func encode(into writer: inout WireWriter) { writer.writeVarint(number) }

    package init(from reader: inout WireReader) throws(WireError) { number = try reader.readVarint() }
}

/// The outcome of an attempt to connect, as far as the other side learns it.
package enum ReachOutcome: UInt8, Hashable, Sendable, CaseIterable {
    /// The connection stood, and was closed at once.
    case reached = 1
    /// It was turned away: nothing listens there, or a firewall rejects it.
    case refused = 2
    /// No answer came in time.
    case silent = 3
    /// No attempt was made: no address is known, or it was tried a moment ago.
    case notTried = 4
}

/// Reports the outcome of an attempt to connect.
///
/// ```
/// +---------------+-----------+
/// | number varint | outcome 1 |
/// +---------------+-----------+
/// ```
package struct ReachAnswer: Hashable, Sendable {
    /// That of the request.
    package let number: UInt64
    /// The outcome of the attempt.
    package let outcome: ReachOutcome

    /// Makes an answer.
    package init(number: UInt64, outcome: ReachOutcome) {
        self.number = number
        self.outcome = outcome
    }
}

extension ReachAnswer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeVarint(number)
        writer.writeByte(outcome.rawValue)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        number = try reader.readVarint()
        guard let outcome = ReachOutcome(rawValue: try reader.readByte()) else { throw .invalidValue("outcome") }
        self.outcome = outcome
    }
}
