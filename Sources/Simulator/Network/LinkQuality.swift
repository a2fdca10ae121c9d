/// A direction of a link, from one machine to another.
package struct LinkDirection: Hashable, Sendable {
    /// The sending machine.
    package var from: Int
    /// The receiving machine.
    package var to: Int

    /// Names a direction.
    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}

/// The special conditions of a direction of a link.
package struct LinkQuality: Sendable {
    /// Whether nothing gets through.
    package var isBlocked = false
    /// The time before which nothing gets through, in simulated milliseconds.
    package var cloggedUntil: UInt64 = 0
    /// The mean delay; `nil` = as the options say.
    package var delayMilliseconds: Double?
    /// The throughput; `nil` = as the options say.
    package var bytesPerMillisecond: UInt64?

    /// Creates the conditions of an ordinary link.
    package init() {}
}
