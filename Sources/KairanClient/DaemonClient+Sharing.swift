extension DaemonClient {
    /// What an account may do in a zone, each of which includes the ones before it.
    public enum ShareRights: String, Sendable, CaseIterable {
        /// Read the whole zone.
        case read
        /// Make new records, and nothing of those of others.
        case append
        /// Make, change and delete records.
        case write
        /// Say what everybody may do as well.
        case admin
    }

    /// A right that is handed to an account.
    public struct ShareTerms: Sendable, Hashable {
        /// What may be done.
        public var rights: ShareRights
        /// How often in a row it may be handed on, at most 7; 0 = not at all.
        public var depth: Int
        /// The only record types that may be written, at most 16; empty = all.
        public var types: [String]
        /// What the names of records begin with that may be written.
        public var prefix: String
        /// How long it is good; `nil` = until it is taken back.
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

    /// Who takes part in a zone.
    public func share(of zone: String) async throws -> Share {
        try await value(.share(of: zone))
    }

    /// Hands a right in a zone to an account; sharing again what is shared changes nothing.
    /// - Parameters:
    ///   - zone: Its id or unique name.
    ///   - account: The account's id, or a part of it that is unique among those known here, of at least 8 characters.
    ///   - terms: What it may do.
    /// - Returns: All that the account may do now.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func share(_ zone: String, with account: String, _ terms: ShareTerms) async throws -> Participant {
        try await value(.share(zone, with: account, terms: terms))
    }

    /// Revokes all rights of an account in a zone.
    /// - Parameters:
    ///   - account: The account.
    ///   - zone: The zone.
    ///   - reason: Why; readable by all who take part.
    ///   - keepsBelow: Whether the accounts that have their rights from this one get them anew from the caller's account, in the
    ///     same operation. Otherwise their rights end too.
    /// - Returns: Whose rights ended, and who was kept.
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

    /// Lets more count of what an account wrote by rights that ended: all that this device holds now.
    @discardableResult
    public func raiseCut(of account: String, in zone: String) async throws -> CutRaise {
        try await value(.raiseCut(zone, account: account))
    }

    /// Begins another key of a zone: what is written from now on is sealed under it.
    ///
    /// Who had the earlier keys keeps them, and reads with them what was written under them.
    /// - Parameter zone: Its id or unique name.
    /// - Returns: What is written under from now on.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func rotateEpoch(of zone: String) async throws -> ZoneEpoch {
        try await value(.rotateEpoch(zone))
    }

    /// Gives up this account's rights in a zone of another account.
    public func leave(_ zone: String) async throws {
        _ = try await document(.leave(zone))
    }

    /// Offers a zone to an account that takes part in it, in place of whomever it was offered to before.
    ///
    /// The account owns the zone once one of its devices has accepted and this device has heard of it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - account: To whom.
    ///   - rights: What this account may still do then; `nil` = nothing.
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

    /// Says what those may do in a zone who hold no right; what is `nil` stays as it is.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - world: What everybody on the network may do: each of `read`, `create` and `write`.
    ///   - authenticated: What everybody may do whose account is known.
    ///   - creator: What may be done with a record by who is named as its creator.
    /// - Returns: All that holds now.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func setPublicAccess(
        _ zone: String,
        world: [String]? = nil,
        authenticated: [String]? = nil,
        creator: [String]? = nil
    ) async throws -> PublicAccess {
        try await value(.setPublicAccess(zone, world: world, authenticated: authenticated, creator: creator))
    }
}
