import KairanInterface

/// The pauses of a program that the daemon asks to come again later.
package struct Patience: Sendable, Hashable {
    /// The attempts of one request.
    package static let attemptCountMax = 6
    private static let codes: Set<String> = ["busy", "not_ready", "request.too_many"]

    private var attemptCount = 1

    /// Has made the first attempt.
    package init() {}

    /// Takes note of a refusal.
    /// - Parameters:
    ///   - code: Its code.
    ///   - wish: The pause that the daemon asks for, in milliseconds.
    /// - Returns: The pause before the next attempt, in milliseconds; `nil` where another attempt is of no use.
    package mutating func pause(after code: String, wish: Int64?) -> Int64? {
        guard Self.codes.contains(code), attemptCount < Self.attemptCountMax else { return nil }
        defer { attemptCount += 1 }
        return min(max(wish ?? 250 << attemptCount, 1), 30_000)
    }
}
