/// The maximum rate of requests.
package struct RequestRate: Sendable, Hashable {
    /// The sustained number of requests in a second.
    package let perSecond: UInt32
    /// The number of requests that are accepted at once after a pause.
    package let burst: UInt32

    /// The rate of an application unless its file sets one: enough for any program, and too little to keep the daemon
    /// from serving others.
    package static let applicationDefault = RequestRate(checkedPerSecond: 1_000, burst: 2_000)
    /// The rate of all strangers together, who see only the bare status.
    static let others = RequestRate(checkedPerSecond: 20, burst: 40)

    /// The maximum of either number.
    package static let max: UInt32 = 1_000_000

    /// Makes a rate; `nil` when a number is out of range.
    /// - Parameters:
    ///   - perSecond: 1...1,000,000.
    ///   - burst: 1...1,000,000.
    package init?(perSecond: UInt32, burst: UInt32) {
        guard (1...Self.max).contains(perSecond), (1...Self.max).contains(burst) else { return nil }
        self.init(checkedPerSecond: perSecond, burst: burst)
    }

    private init(checkedPerSecond: UInt32, burst: UInt32) {
        perSecond = checkedPerSecond
        self.burst = burst
    }
}
