/// A direction of a link, from one machine to another.
package struct LinkDirection: Hashable, Sendable {
    /// Who sends.
    package var from: Int
    /// Who receives.
    package var to: Int

    /// Names a direction.
    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}

/// What is special about a direction of a link.
package struct LinkQuality: Sendable {
    /// Nothing gets through.
    package var isBlocked = false
    /// Nothing gets through before this time.
    package var cloggedUntil: UInt64 = 0
    /// The mean delay; `nil` = as the options say.
    package var delayMilliseconds: Double?
    /// What it carries; `nil` = as the options say.
    package var bytesPerMillisecond: UInt64?

    /// A link like all others.
    package init() {}
}
