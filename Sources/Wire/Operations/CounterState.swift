/// A counter that everyone may add to: for each actor the sum of its additions, and the write that stated it.
///
/// Merging keeps, for each actor, the total of the newest write; nothing added is lost or counted twice.
/// Source: Shapiro et al., "A comprehensive study of Convergent and Commutative Replicated Data Types", 2011, §3.1.
///
/// ```
/// +--------------+---------------------------------------------------------------+
/// | count varint | count × (actor 32 bytes, dot counter varint, total signed)    |   actors strictly ascending
/// +--------------+---------------------------------------------------------------+
/// ```
package struct CounterState: Hashable, Sendable {
    /// One actor's additions.
    package struct Entry: Hashable, Sendable {
        /// The actor that added.
        package var actor: ActorID
        /// The counter of the actor's write that stated this total, at least 1.
        package var counter: UInt64
        /// The sum of all that the actor added.
        package var total: Int64

        /// Makes an entry.
        package init(actor: ActorID, counter: UInt64, total: Int64) {
            self.actor = actor
            self.counter = counter
            self.total = total
        }

        /// Whether it restates the additions behind a fork.
        package var isRestated: Bool { counter >= CounterState.restatedCounterMin }

        /// The write that stated this total.
        package var dot: Dot { Dot(actor: actor, counter: counter) }
    }

    /// Counters from here on belong to no write: the entry's actor stands for one history of a forked log, and the
    /// additions of that history are restated.
    package static let restatedCounterMin: UInt64 = 1 << 61

    /// One entry an actor, ascending by actor.
    package let entries: [Entry]

    /// Takes over entries in any order, at most one an actor.
    /// - Complexity: O(n log n).
    package init(entries: [Entry]) {
        self.entries = entries.inWireOrder()
    }

    /// The counter's value: all totals together, wrapping around at 64 bits so that the order of adding cannot
    /// matter.
    /// - Complexity: O(n).
    package var value: Int64 {
        entries.reduce(0) { $0 &+ $1.total }
    }
}

extension CounterState: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(entries)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        entries = try reader.readAscending(maximum: Limits.actorCountMax, itemByteCountMin: Dot.byteCountMin + 1)
    }
}

extension CounterState.Entry: WireCodable, WireOrdered {
    package var orderKey: ActorID { actor }

    package func encode(into writer: inout WireWriter) {
        writer.write(dot)
        writer.writeSigned(total)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let dot = try Dot(from: &reader)
        actor = dot.actor
        counter = dot.counter
        total = try reader.readSigned()
    }
}
