extension DaemonClient {
    /// The rights of an account in a zone; each right includes the ones before it.
    public enum ShareRights: String, Sendable, CaseIterable {
        /// Read the whole zone.
        case read
        /// Make new records, but not change those of other accounts.
        case append
        /// Make, change and delete records.
        case write
        /// Also change the public access to the zone.
        case admin
    }

    /// A right that is handed to an account.
    public struct ShareTerms: Sendable, Hashable {
        /// The right.
        public var rights: ShareRights
        /// The number of times in a row that the right may be delegated, at most 7; 0 = not at all.
        public var depth: Int
        /// The only record types that may be written, at most 16; empty = all.
        public var types: [String]
        /// The prefix of the names of records that may be written; empty = all names.
        public var prefix: String
        /// The validity in seconds; `nil` = until it is revoked.
        public var seconds: Int?

        /// States terms.
        public init(
            _ rights: ShareRights,
            depth: Int = 0,
            types: [String] = [],
            prefix: String = "",
            seconds: Int? = nil
        ) {
            self.rights = rights
            self.depth = depth
            self.types = types
            self.prefix = prefix
            self.seconds = seconds
        }
    }

    /// Returns the owner, the participants and the public access of a zone.
    public func share(of zone: String) async throws -> Share {
        try await value(.share(of: zone))
    }

    /// Grants an account a right in a zone; granting the same right again changes nothing.
    /// - Parameters:
    ///   - zone: Its id or unique name.
    ///   - account: The account's id, or a part of it that is unique among those known here, of at least 8 characters.
    ///   - terms: The right, and its limits.
    /// - Returns: All rights that the account has now.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func share(_ zone: String, with account: String, _ terms: ShareTerms) async throws -> Participant {
        try await value(.share(zone, with: account, terms: terms))
    }

    /// Revokes all rights of an account in a zone.
    /// - Parameters:
    ///   - account: The account.
    ///   - zone: The zone.
    ///   - reason: The reason; all members of the zone can read it.
    ///   - keepsBelow: Whether the caller's account grants new rights, in the same operation, to the accounts that
    ///     have their rights from the revoked one. Otherwise their rights end too.
    /// - Returns: The accounts whose rights ended, and those that kept theirs.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func revoke(
        _ account: String,
        from zone: String,
        reason: String? = nil,
        keepsBelow: Bool = false
    ) async throws -> Revocation {
        try await value(.revokeShare(zone, account: account, reason: reason, keepsBelow: keepsBelow))
    }

    /// Moves the cuts of an account's writes under ended rights up to the size that this device holds, so that more
    /// of them are effective.
    @discardableResult
    public func raiseCut(of account: String, in zone: String) async throws -> CutRaise {
        try await value(.raiseCut(zone, account: account))
    }

    /// Starts a new epoch of a zone: later writes are sealed under its key.
    ///
    /// Accounts that had the earlier keys keep them, and can still read the writes sealed under them.
    /// - Parameter zone: Its id or unique name.
    /// - Returns: The new epoch.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func rotateEpoch(of zone: String) async throws -> ZoneEpoch {
        try await value(.rotateEpoch(zone))
    }

    /// Gives up this account's rights in a zone of another account.
    public func leave(_ zone: String) async throws {
        _ = try await document(.leave(zone))
    }

    /// Offers a zone to an account that takes part in it; the offer replaces any earlier offer.
    ///
    /// The account owns the zone once one of its devices has accepted and this device has learned of it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - account: The account to offer the zone to.
    ///   - rights: The rights that this account keeps after the transfer; `nil` = none.
    /// - Returns: The offer.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func offerTransfer(
        of zone: String,
        to account: String,
        keeping rights: ShareRights?
    ) async throws -> ZoneTransfer {
        try await value(.offerTransfer(zone, to: account, keeping: rights?.rawValue))
    }

    /// Withdraws the offer of a zone.
    /// - Parameter zone: The zone.
    /// - Returns: The offer as it was.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func withdrawTransfer(of zone: String) async throws -> ZoneTransfer {
        try await value(.withdrawTransfer(zone))
    }

    /// Answers the offer of a zone to this account.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - accepts: Whether this account consents to own the zone.
    /// - Returns: The offer with the answer.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func answerTransfer(of zone: String, accepting accepts: Bool) async throws -> ZoneTransfer {
        try await value(.answerTransfer(zone, accepting: accepts))
    }

    /// Changes the rights of accounts without a capability in a zone; `nil` leaves a right unchanged.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - world: The rights of every device on the network: none or more.
    ///   - authenticated: The rights of every device whose account is known.
    ///   - creator: The rights of the account named as a record's creator, for that record.
    /// - Returns: All rights in force now.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func setPublicAccess(
        _ zone: String,
        world: [PublicAccess.Right]? = nil,
        authenticated: [PublicAccess.Right]? = nil,
        creator: [PublicAccess.Right]? = nil
    ) async throws -> PublicAccess {
        try await value(.setPublicAccess(zone, world: world, authenticated: authenticated, creator: creator))
    }
}
