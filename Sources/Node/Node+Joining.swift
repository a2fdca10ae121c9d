import Identity

extension Node {
    /// See `JoiningAPI`.
    package func join(link: String) async throws(NodeError) -> JoinStatus {
        if PublicLink.isMeant(by: link) { return try await sync.open(publicLink: link) }
        if let offered = try await sync.offer(named: link) { return try await sync.accept(offered) }
        return try await sync.join(invite: link)
    }

    /// See `JoiningAPI`.
    package func joins() async throws(NodeError) -> [OpenJoinStatus] {
        await sync.waitingJoins().map {
            OpenJoinStatus(invite: $0.invite, account: $0.account, state: $0.state, openedMilliseconds: $0.opened)
        } + sync.offered()
    }

    /// See `JoiningAPI`.
    package func forgetJoin(_ invite: String) async throws(NodeError) {
        guard try await sync.forgetJoin(invite) else {
            throw NodeError(
                .inviteUnknown,
                "No opened invitation \"\(invite)\" waits for an answer.",
                fix: "`kairan join ls` lists them."
            )
        }
    }
}
