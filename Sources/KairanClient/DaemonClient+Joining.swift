extension DaemonClient {
    /// Opens an invitation; waits a while for an answer, and the daemon goes on trying afterwards.
    /// - Parameter link: The link as it was sent.
    /// - Returns: The progress; opening the invitation again returns the newest progress.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func join(_ link: String) async throws -> Join {
        try await value(.join(link))
    }

    /// Returns the invitations that this device has opened and that have no final answer.
    public func joins() async throws -> [OpenJoin] {
        try await value(.joins)
    }

    /// Gives an opened invitation up.
    public func forgetJoin(_ invite: String) async throws {
        _ = try await document(.forgetJoin(invite))
    }
}

extension DaemonRequest {
    /// The opening of an invitation.
    package static func join(_ link: String) -> DaemonRequest {
        DaemonRequest(.post, ["joins"], body: ["link": .string(link)])
    }

    /// The opened invitations.
    package static var joins: DaemonRequest { DaemonRequest(.get, ["joins"]) }

    /// The end of an opened invitation.
    package static func forgetJoin(_ invite: String) -> DaemonRequest { DaemonRequest(.delete, ["joins", invite]) }
}
