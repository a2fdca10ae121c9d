import Hummingbird
import NIOCore
import Synchronization

/// The body of a request as it arrives, for a reader that takes it piece by piece: it reads no more than the reader
/// takes.
///
/// It ends only where the body does. A connection that breaks, or a task that is cancelled, ends the framework's own
/// sequence as a complete body would; here it is an error. The reader of the pieces only gets `CancellationError`;
/// ``failure`` says more.
final class ArrivingBody: AsyncSequence, Sendable {
    /// A piece.
    typealias Element = [UInt8]

    private struct State {
        /// The time since which a reader waits for the next piece.
        var waitingSince: ContinuousClock.Instant?
        var failure: RequestError?
    }

    private let body: RequestBody
    private let byteCount: UInt64?
    private let state = Mutex(State())

    /// Begins to read when the first piece is asked for.
    /// - Parameters:
    ///   - body: The body; it can be taken once.
    ///   - byteCount: The expected number of bytes; `nil` if unknown.
    init(_ body: RequestBody, byteCount: UInt64?) {
        self.body = body
        self.byteCount = byteCount
    }

    /// Why it ended early, if that was the sender's doing.
    var failure: RequestError? { state.withLock { $0.failure } }

    /// Returns when a reader has waited too long for a piece; time in which no reader waits is not included.
    /// - Parameter patience: The maximum time to wait.
    /// - Throws: `CancellationError`.
    func waitForStall(_ patience: Duration) async throws {
        while true {
            let begin = state.withLock { $0.waitingSince }
            if let begin, begin + patience <= .now { return }
            try await Task.sleep(until: (begin ?? .now) + patience, clock: .continuous)
        }
    }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator {
        Iterator(body: self, parts: body.makeAsyncIterator())
    }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: ArrivingBody
        fileprivate var parts: RequestBody.AsyncIterator
        private var taken: UInt64 = 0

        fileprivate init(body: ArrivingBody, parts: RequestBody.AsyncIterator) {
            self.body = body
            self.parts = parts
        }

        /// The next piece; `nil` at the end of the body.
        /// - Throws: `CancellationError`.
        mutating func next() async throws -> [UInt8]? {
            body.state.withLock { $0.waitingSince = .now }
            defer { body.state.withLock { $0.waitingSince = nil } }
            let part: ByteBuffer?
            do {
                part = try await parts.next(isolation: #isolation)
            } catch {
                throw cutShort()
            }
            guard let part else {
                if let expected = body.byteCount {
                    guard taken == expected else { throw cutShort() }
                } else {
                    try Task.checkCancellation()
                }
                return nil
            }
            taken += UInt64(part.readableBytes)
            return Array(part.readableBytesView)
        }

        private func cutShort() -> CancellationError {
            if !Task.isCancelled { body.state.withLock { $0.failure = .cutShort } }
            return CancellationError()
        }
    }
}
