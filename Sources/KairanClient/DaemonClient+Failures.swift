import AsyncHTTPClient
import NIOCore

extension DaemonClient {
    /// What a failure before the answer's head means.
    func translated(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: error
        case let error as IOError: KairanError.unreachable(socketPath: socketPath, reason: Self.reason(error))
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as HTTPClientError where error == .connectTimeout:
            KairanError.unreachable(socketPath: socketPath, reason: "it does not answer")
        case let error as SocketAddressError:
            KairanError.unreachable(socketPath: socketPath, reason: "the path does not fit a socket: \(error)")
        default: Self.interruption(error)
        }
    }

    /// What a failure within the answer means.
    static func interruption(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        default: KairanError.interrupted(reason: "\(error)")
        }
    }

    private static func reason(_ error: IOError) -> String {
        switch error.errnoCode {
        case 2: "there is no such socket"
        case 13: "you may not use it"
        case 111: "the socket is there, but no daemon"
        default: "error \(error.errnoCode)"
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
