import Synchronization

/// Has each request fail to which no answer begins for some time.
///
/// A body that is uploaded piece by piece may take as long as it needs, as long as the daemon goes on taking pieces. The body of an answer has no limit.
struct LimitedTransport: DaemonTransport {
    /// The time of the last step of a request.
    private final class Progress: Sendable {
        private let last = Mutex(ContinuousClock.now)

        func note() { last.withLock { $0 = .now } }

        /// Returns when nothing has been noted for some time.
        /// - Throws: `CancellationError`.
        func end(after time: Duration) async throws {
            while true {
                let end = last.withLock { $0 } + time
                guard ContinuousClock.now < end else { return }
                try await Task.sleep(until: end, clock: .continuous)
            }
        }
    }

    /// Carries the requests.
    let transport: any DaemonTransport
    /// The time.
    let time: Duration

    func execute(_ request: SocketRequest) async throws -> SocketAnswer {
        let progress = Progress()
        var limited = request
        limited.body = request.body?.noting { progress.note() }
        let bound = limited
        return try await withThrowingTaskGroup(of: SocketAnswer.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await transport.execute(bound) }
            group.addTask {
                try await progress.end(after: time)
                let reason = "the daemon has not answered for \(time.components.seconds) seconds"
                throw TransportFailure.unanswered(reason: reason)
            }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }
}

extension DaemonClient {
    /// This client, with a bound for the time in which an answer begins.
    ///
    /// The request may have been performed all the same. Pieces of an upload that the daemon takes begin the time anew.
    /// - Parameter time: The time.
    /// - Returns: The client; it uses the same connections.
    package func limited(to time: Duration) -> DaemonClient {
        DaemonClient(
            socketPath: socketPath,
            transport: LimitedTransport(transport: transport, time: time),
            token: token
        )
    }
}
