/// Carries the requests of a client to the daemon or a stand-in.
///
/// It is the one seam between the interface of this library and the daemon: any implementation gets the same
/// requests, byte for byte, and nothing above it knows the difference.
package protocol DaemonTransport: Sendable {
    /// Sends a request.
    /// - Parameter request: The request.
    /// - Returns: The answer as soon as its head is there.
    /// - Throws: ``TransportFailure``, `CancellationError`, the errors of the request's body.
    func execute(_ request: SocketRequest) async throws -> SocketAnswer
}

extension ConnectionPool: DaemonTransport {}
