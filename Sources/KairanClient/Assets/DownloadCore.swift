/// The progress of a download, so that it continues behind an interruption with the bytes that are missing.
package struct DownloadCore: Sendable {
    /// The attempts without a new byte after which the download fails; they take about 20 seconds.
    package static let failureCountMax = 8

    /// The position of the next byte.
    package private(set) var position: UInt64
    /// The position behind the last byte.
    package let end: UInt64
    private var failureCount = 0
    private var pause = RetryPause(longestMilliseconds: 5_000)

    /// Begins.
    /// - Parameters:
    ///   - position: The position of the first byte.
    ///   - end: The position behind the last byte.
    package init(from position: UInt64, to end: UInt64) {
        self.position = position
        self.end = end
    }

    /// Whether all bytes are here.
    package var isComplete: Bool { position >= end }

    /// The bytes that are missing.
    package var rest: ByteSpan { ByteSpan(from: position, count: end - min(position, end)) }

    /// Takes note of bytes.
    package mutating func received(_ count: Int) {
        position += UInt64(count)
        failureCount = 0
        pause.succeed()
    }

    /// Takes note of an interruption.
    /// - Parameter error: The reason.
    /// - Returns: The time to wait before the next attempt, in milliseconds.
    /// - Throws: The error, when another attempt does not help.
    package mutating func failed(_ error: KairanError) throws(KairanError) -> Int64 {
        failureCount += 1
        // The daemon has waited for other devices as long as the caller wanted to.
        guard error.isRetryable, error.code != "asset.unavailable", failureCount < Self.failureCountMax else {
            throw error
        }
        return pause.fail(at: 0, atLeast: error.retryAfter)
    }
}
