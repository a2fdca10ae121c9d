/// A running hash over everything that happens: two runs of one seed must agree in it.
///
/// Not cryptographic: it has to notice differences, and costs a few nanoseconds an event.
package struct Trace {
    /// The hash so far.
    package private(set) var hash: UInt64 = 0x6B61_6972_616E
    /// Receives a line for each event; `nil` while nobody reads them.
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
    ///   - kind: What happened.
    ///   - time: When.
    ///   - node: To whom; -1 for nobody.
    ///   - number: A number that belongs to it.
    ///   - text: A line for people; made only while somebody reads it.
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
        /// A dial led nowhere.
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
        /// An application asked for something.
        case issue
        /// An application was answered.
        case answer
        /// Something was done to the world.
        case fault
        /// A core said something to people.
        case report
        /// The account log changed.
        case account
        /// A node was woken by its timer.
        case wake
    }
}
