extension DaemonClient {
    /// To how many an invitation is made, and for how long.
    public struct InviteLimits: Sendable, Hashable {
        /// The number of accounts that it lets in, 1 to 1,000.
        public var uses: Int
        /// Its lifetime in seconds, a minute to 30 days.
        public var seconds: Int
        /// Whether a person has to approve each account.
        public var needsApproval: Bool
        /// The addresses of this machine, as "host:port", at most 4; for networks in which other devices do not
        /// discover it.
        public var addresses: [String]
        /// Whether a relay of the account counts the joining accounts instead of this device, which may then be off.
        public var isCountedByRelay: Bool

        /// Makes limits; the defaults are one account and a week.
        public init(
            uses: Int = 1,
            seconds: Int = 604_800,
            needsApproval: Bool = false,
            addresses: [String] = [],
            isCountedByRelay: Bool = false
        ) {
            self.uses = uses
            self.seconds = seconds
            self.needsApproval = needsApproval
            self.addresses = addresses
            self.isCountedByRelay = isCountedByRelay
        }
    }

    /// Creates an invitation to a zone; inviting again under the same terms returns the open invitation.
    /// - Parameters:
    ///   - zone: Its id or unique name.
    ///   - terms: The rights of the accounts that join. These rights do not expire.
    ///   - limits: The number of accounts that may join, and the period in which they may.
    /// - Returns: The invitation; its link is a secret between you and the people you send it to.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func invite(
        to zone: String,
        _ terms: ShareTerms,
        limits: InviteLimits = InviteLimits()
    ) async throws -> Invitation {
        try await value(.invite(zone, terms: terms, limits: limits))
    }

    /// Withdraws an invitation; accounts that have joined by it stay.
    public func withdrawInvite(_ id: String, zone: String) async throws {
        _ = try await document(.withdrawInvite(id, zone: zone))
    }

    /// Approves a request to join a zone.
    /// - Parameters:
    ///   - request: The request's id, or the account that asks.
    ///   - zone: The zone.
    /// - Returns: Whether the account is a member now; otherwise the device that made the invitation admits it, or
    ///   any device does, once the relay that counts the joining accounts was asked.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func approve(_ request: String, zone: String) async throws -> Bool {
        struct Answer: Decodable { var state: String }
        return try await value(.approve(request, zone: zone), as: Answer.self).state == "joined"
    }

    /// Denies a request to join a zone, for good.
    public func deny(_ request: String, zone: String) async throws {
        _ = try await document(.deny(request, zone: zone))
    }

    /// The accounts that this one wants nothing to do with.
    public func blocks() async throws -> [BlockedAccount] {
        try await value(.blocks)
    }

    /// Blocks an account on all devices of this one: its devices are not talked to, and no invitation lets it in.
    @discardableResult
    public func block(_ account: String) async throws -> BlockedAccount {
        try await value(.block(account))
    }

    /// Ends the block of an account.
    public func unblock(_ account: String) async throws {
        _ = try await document(.unblock(account))
    }
}
