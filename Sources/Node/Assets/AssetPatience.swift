import Sync

/// How long a reader waits for a part of an asset that is not here.
///
/// It waits until its time is over. While no session may have the content, or every one that may has answered that it
/// lacks it, it waits for five seconds at most: devices that have just started have sessions by then.
struct AssetPatience: Sendable {
    /// The longest wait in which no session has a prospect, in milliseconds.
    static let hopelessMilliseconds: UInt64 = 5_000
    /// The longest pause, in milliseconds: prospects change without a commit, so that no event reports them.
    static let pauseMilliseconds: UInt64 = 1_000

    /// The end of the wait, in milliseconds of the monotonic clock.
    private let end: UInt64
    /// The time since which no session has a prospect.
    private var hopelessSince: UInt64?

    /// Begins to wait.
    /// - Parameters:
    ///   - milliseconds: The longest wait.
    ///   - now: Milliseconds of the monotonic clock.
    init(milliseconds: UInt64, since now: UInt64) {
        end = now + milliseconds
    }

    /// Returns the time after which to look again.
    /// - Parameters:
    ///   - prospect: The prospect of the content; `nil` where the core does not know that it is wanted yet.
    ///   - now: Milliseconds of the monotonic clock.
    /// - Returns: Milliseconds, at most ``pauseMilliseconds``; `nil` when the wait is over.
    mutating func pause(_ prospect: PayloadProspect?, at now: UInt64) -> UInt64? {
        var end = end
        switch prospect {
        case .missing?, .unresolved?:
            let since = hopelessSince ?? now
            hopelessSince = since
            end = min(end, since + Self.hopelessMilliseconds)
        case .coming?, nil:
            hopelessSince = nil
        }
        guard now < end else { return nil }
        return min(end - now, Self.pauseMilliseconds)
    }
}
