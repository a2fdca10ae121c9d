extension DaemonClient {
    /// Translates a failure before the answer's head.
    /// - Parameter error: The failure.
    /// - Returns: The error to throw.
    func translated(_ error: any Error) -> any Error {
        switch error {
        case TransportFailure.unsent(let reason): KairanError.unreachable(socketPath: socketPath, reason: reason)
        default: Self.interruption(error)
        }
    }

    /// Translates a failure after the request was sent.
    /// - Parameter error: The failure.
    /// - Returns: The error to throw: of the caller's own body as it came.
    package static func interruption(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError, is KairanError: error
        // The maker of the body knows the cause; the connection is not to blame.
        case let failure as BodyFailure: failure.cause
        case TransportFailure.unexpected(let reason): KairanError.unexpectedAnswer(reason)
        case TransportFailure.unsent(let reason), TransportFailure.unanswered(let reason),
            TransportFailure.broken(let reason):
            KairanError.interrupted(reason: reason)
        default: KairanError.interrupted(reason: "\(error)")
        }
    }
}

extension KairanError {
    /// An empty name would address the collection instead of a thing in it.
    static var emptyName: KairanError {
        KairanError(
            refused: Problem(
                type: "https://kairan.invalid/problems/invalid_argument",
                title: "A value is not allowed",
                status: 400,
                code: "invalid_argument",
                detail: "A name is empty.",
                fix: "Give a name of 1 to 255 bytes.",
                isRetryable: false
            ),
            document: []
        )
    }
}
