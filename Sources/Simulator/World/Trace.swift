/// A running hash over everything that happens: two runs of one seed must agree in it.
///
/// Not cryptographic: it has to notice differences, and costs a few nanoseconds an event.
package struct Trace {
    /// The hash so far.
    package private(set) var hash: UInt64 = 0x6B61_6972_616E
    /// Receives a line for each event; `nil` while there is no reader.
    package var sink: ((String) -> Void)?

    init() {}

    /// Mixes a number in.
    package mutating func mix(_ value: UInt64) {
        var mixed = (hash ^ value) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 29
        hash = mixed &* 0xBF58_476D_1CE4_E5B9
        hash ^= hash >> 32
    }

    /// Mixes bytes in.
    package mutating func mix(_ bytes: [UInt8]) {
        mix(UInt64(bytes.count))
        var index = 0
        while index + 8 <= bytes.count {
            var word: UInt64 = 0
            for offset in 0..<8 { word |= UInt64(bytes[index &+ offset]) << UInt64(8 &* offset) }
            mix(word)
            index &+= 8
        }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest << 8 | UInt64(bytes[index])
            index &+= 1
        }
        mix(rest)
    }

    /// Notes an event.
    ///
    /// - Parameters:
    ///   - kind: The kind of event.
    ///   - time: The time, in simulated milliseconds.
    ///   - node: The node concerned; -1 for none.
    ///   - number: A number that belongs to the event.
    ///   - text: A line for people; evaluated only while there is a sink.
    package mutating func note(
        _ kind: Kind,
        at time: UInt64,
        node: Int,
        _ number: UInt64 = 0,
        _ text: @autoclosure () -> String = ""
    ) {
        mix(time)
        mix(UInt64(kind.rawValue) << 32 | UInt64(UInt32(truncatingIfNeeded: node)))
        mix(number)
        guard let sink else { return }
        let text = text()
        sink("\(time) node \(node) \(kind) \(number)\(text.isEmpty ? "" : " ")\(text)")
    }

    /// The kinds of events.
    package enum Kind: UInt8, Sendable {
        /// A process began.
        case start
        /// A process ended without warning.
        case crash
        /// A process ended in order.
        case stop
        /// A dial began.
        case dial
        /// A dial failed.
        case dialFailed
        /// Bytes were handed to the network.
        case bytes
        /// A channel stands.
        case established
        /// A channel ended.
        case closed
        /// A message was received.
        case message
        /// A transaction became visible.
        case commit
        /// A transaction failed.
        case commitFailed
        /// An application made a request.
        case issue
        /// A node answered an application.
        case answer
        /// A fault was injected.
        case fault
        /// A core reported something to people.
        case report
        /// The account log changed.
        case account
        /// A node was woken by its timer.
        case wake
    }
}
