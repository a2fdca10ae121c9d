/// One write: the actor that made it and the place in the actor's log, counted from 1.
///
/// ```
/// +----------------+----------------+
/// | actor, 32 bytes| counter varint |   1 ≤ counter ≤ Limits.counterMax
/// +----------------+----------------+
/// ```
package struct Dot: Hashable, Comparable, Sendable {
    /// The actor that wrote.
    package let actor: ActorID
    /// Leaf index + 1 in the actor's log of the zone.
    package let counter: UInt64

    /// Names a write.
    /// - Parameters:
    ///   - actor: The actor that wrote.
    ///   - counter: 1...`Limits.counterMax`; another number gives a dot that no receiver accepts.
    package init(actor: ActorID, counter: UInt64) {
        self.actor = actor
        self.counter = counter
    }

    /// By actor, then by counter.
    package static func < (left: Self, right: Self) -> Bool {
        left.actor == right.actor ? left.counter < right.counter : left.actor < right.actor
    }
}

extension Dot: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeDigest(actor.digest)
        writer.writeVarint(counter)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        actor = ActorID(try reader.readDigest())
        counter = try reader.readCounter(minimum: 1)
    }

    /// The shortest encoding.
    static var byteCountMin: Int { Digest32.byteCount + 1 }
}

extension Dot: WireOrdered {
    package var orderKey: Dot { self }
}

extension Dot: CustomStringConvertible {
    package var description: String { "\(actor.shortText):\(counter)" }
}

extension WireReader {
    /// Reads a counter, a leaf index or a tree size.
    /// - Parameter minimum: 1 for counters, 0 for sizes that may be empty.
    /// - Returns: The number.
    /// - Throws: as `readVarint()`; `.invalidValue` outside minimum...`Limits.counterMax`.
    package mutating func readCounter(minimum: UInt64) throws(WireError) -> UInt64 {
        let counter = try readVarint()
        guard counter >= minimum, counter <= Limits.counterMax else { throw .invalidValue("counter") }
        return counter
    }
}
