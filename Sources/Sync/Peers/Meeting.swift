/// The times at which the presence of a member is noted: when a session begins, once an hour while it lasts, and when
/// it ends.
package struct Meeting: Hashable, Sendable {
    /// The interval at which a session is noted again, in milliseconds: an hour.
    package static let intervalMilliseconds: UInt64 = 60 * 60 * 1_000
    /// The end of a session that was noted more recently is not noted again: 10 seconds, for sessions that end at once.
    package static let endMillisecondsMin: UInt64 = 10_000

    /// The time of the last note, by the monotonic clock; `nil` while the device is not known as a member.
    private var noted: UInt64?

    /// Begins with nothing noted.
    package init() {}

    /// Whether the device was found to be a member.
    package var hasBegun: Bool { noted != nil }

    /// The device is known for a member.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: Whether it is to be noted; the first time alone.
    package mutating func begin(at now: UInt64) -> Bool {
        guard noted == nil else { return false }
        noted = now
        return true
    }

    /// The device has shown that it is there.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: Whether it is to be noted.
    package mutating func goesOn(at now: UInt64) -> Bool {
        guard let last = noted, now >= last &+ Self.intervalMilliseconds else { return false }
        noted = now
        return true
    }

    /// The session is over.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: Whether it is to be noted.
    package func ends(at now: UInt64) -> Bool {
        noted.map { now >= $0 &+ Self.endMillisecondsMin } ?? false
    }
}
