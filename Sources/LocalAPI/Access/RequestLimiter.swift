import Synchronization

/// Limits the request rate of each application, and of all strangers together.
package final class RequestLimiter: Sendable {
    /// The owner of a bucket.
    private enum Key: Hashable {
        case application(String)
        case others
    }

    private let buckets = Mutex<[Key: TokenBucket]>([:])
    private let now: @Sendable () -> UInt64

    /// Makes a limiter with full buckets.
    /// - Parameter now: The time in nanoseconds of a clock that does not go back.
    package init(now: @escaping @Sendable () -> UInt64) {
        self.now = now
    }

    /// A limiter on the machine's clock.
    package convenience init() {
        let start = ContinuousClock.now
        self.init(now: {
            let parts = (ContinuousClock.now - start).components
            return UInt64(clamping: parts.seconds) * 1_000_000_000 + UInt64(clamping: parts.attoseconds / 1_000_000_000)
        })
    }

    /// Counts a request.
    /// - Parameter role: The role of the caller.
    /// - Returns: `nil` when the request may proceed; otherwise the number of nanoseconds after which the next one
    ///   may.
    package func wait(for role: Role) -> UInt64? {
        let (key, rate): (Key, RequestRate)
        switch role {
        case .admin: return nil
        case .application(let application): (key, rate) = (.application(application.name), application.rate)
        case .other: (key, rate) = (.others, .others)
        }
        let moment = now()
        return buckets.withLock { buckets in
            // A reload may have given the application another rate.
            if buckets[key]?.rate != rate { buckets[key] = nil }
            return buckets[key, default: TokenBucket(rate)].take(at: moment)
        }
    }
}
