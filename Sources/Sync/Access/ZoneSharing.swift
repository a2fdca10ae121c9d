package import Capabilities
import Identity
import Records
package import Wire

/// The sharing of a zone: this account's statements about the rights of accounts in it.
///
/// The one decision function is asked about each of them first.
package struct ZoneSharing: Sendable {
    let committer: Committer
    private let statements: ControlStatements

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
        statements = ControlStatements(committer)
    }

    /// Grants a right to an account.
    ///
    /// Sharing again with the same rights and limits by the same own right returns the existing
    /// capability.
    /// - Parameters:
    ///   - terms: The account that receives the right, and the terms of the capability.
    ///   - zone: The zone.
    ///   - random: The source of the nonce.
    ///   - transaction: The store.
    /// - Returns: The capability; the notice has no number when it was there already.
    /// - Throws: `CommitError.refused`, `CapabilityError` for terms that are wider than the own
    ///   right, `ReplicaError`, or an error of the store.
    package func grant(
        _ terms: Capability.Terms,
        zone: ZoneID,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<SignedCapability> {
        let own = try statements.authorise(.grant(terms.rights), zone: zone, in: transaction)
        if let known = own.state.capability(with: terms, under: own.right) { return Changed(known) }
        let signed = try issue(terms, by: own, zone: zone, random: &random)
        return Changed(signed, notice: try statements.say(.grant(Grant(signed)), zone: zone, in: &transaction))
    }

    /// Issues a capability by this account's own right in a zone.
    private func issue(
        _ terms: Capability.Terms,
        by own: OwnRight,
        zone: ZoneID,
        random: inout some RandomNumberGenerator
    ) throws -> SignedCapability {
        guard !own.isOwner else {
            return try Capability.issue(
                terms,
                resource: .zone(zone),
                owner: committer.account.account,
                signer: committer.device,
                using: &random,
                sign: committer.keys.sign
            )
        }
        return try Capability.issue(
            terms,
            under: try own.state.chain(endingIn: own.right),
            signer: committer.device,
            using: &random,
            sign: committer.keys.sign
        )
    }

    /// Revokes capabilities and everything delegated from them: logs under them are cut at the size
    /// that this store holds now.
    /// - Parameters:
    ///   - capabilities: The capabilities; at least one.
    ///   - regrants: Capabilities that the same operation grants, as
    ///     ``regrants(below:zone:random:in:)`` makes them.
    ///   - zone: The zone.
    ///   - reason: The reason; for people.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `CommitError.refused`, `ReplicaError`, or an error of the store.
    package func revoke(
        _ capabilities: [Hash],
        regranting regrants: [SignedCapability] = [],
        zone: ZoneID,
        reason: String,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var ended: Set<Hash> = []
        for capability in capabilities {
            let state = try statements.authorise(.revoke(capability), zone: zone, in: transaction).state
            ended.formUnion(state.descendants(of: capability))
        }
        let cuts = try statements.positions(in: zone, in: transaction) { ended.contains($0.right) }
        let revocation = Revocation(capabilities: capabilities, cuts: cuts, regrants: regrants, reason: reason)
        return try statements.say(.revoke(revocation), zone: zone, in: &transaction)
    }

    /// Issues again, directly below this account's own right, each right that descends from
    /// capabilities that are about to end.
    ///
    /// The new capabilities state the same terms. The accounts that hold the ending capabilities,
    /// and this account, get none, nor does a right that holds already by another way from here or
    /// that is over by this device's clock.
    /// - Parameters:
    ///   - capabilities: Those that end.
    ///   - zone: The zone.
    ///   - random: Source of the nonces.
    ///   - transaction: The store.
    /// - Returns: The capabilities, for ``revoke(_:regranting:zone:reason:in:)``; empty when
    ///   nothing descends.
    /// - Throws: `CommitError.tooManyRegrants`, `CommitError.refused` and `CapabilityError` for
    ///   terms that are wider than the own right, or an error of the store.
    /// - Complexity: O(n) for n capabilities of the zone, and one signature for each that is kept.
    package func regrants(
        below capabilities: [Hash],
        zone: ZoneID,
        random: inout some RandomNumberGenerator,
        in transaction: some NodeTransaction
    ) throws -> [SignedCapability] {
        guard let first = capabilities.first else { return [] }
        let state = try statements.authorise(.revoke(first), zone: zone, in: transaction).state
        let ended = Set(capabilities)
        let holders = Set(capabilities.compactMap { state.account(of: $0) }).union([committer.account.account])
        let terms = Set(
            state.capabilities.values.lazy
                .filter {
                    $0.status == .live && !ended.isDisjoint(with: $0.chain) && !holders.contains($0.capability.audience)
                }
                .filter { ($0.capability.caveats.expires ?? .max) > committer.wallMilliseconds }
                .map { Capability.Terms($0.capability) }
        )
        guard terms.count <= Limits.regrantCountMax else { throw CommitError.tooManyRegrants(terms.count) }
        return try terms.sorted { ($0.audience, $0.rights.level) < ($1.audience, $1.rights.level) }.compactMap {
            terms in
            let own = try statements.authorise(.grant(terms.rights), zone: zone, in: transaction)
            guard own.state.capability(with: terms, under: own.right) == nil else { return nil }
            return try issue(terms, by: own, zone: zone, random: &random)
        }
    }

    /// Gives up the account's rights in a zone that another one owns.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `CommitError.refused` for the owner, `ReplicaError`, or an error of the store.
    package func leave(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let state = try statements.authorise(.leave, zone: zone, in: transaction).state
        // A member that has left is not asked again for keys that others lack.
        var notice = try EpochKeys(committer).renewIfDue(zone, in: &transaction)
        let own = committer.account.account
        let cuts = try statements.positions(in: zone, in: transaction) { state.account(of: $0.right) == own }
        notice.merge(try statements.say(.leave(Leave(cuts: cuts)), zone: zone, in: &transaction))
        return notice
    }

    /// Raises the cut of a capability's logs to the size that this store holds now, as far as it
    /// waits for nothing.
    ///
    /// An effective operation that waits for a log that no device here knows would wait for good;
    /// as long as it is quarantined it can be adopted.
    /// - Parameters:
    ///   - capability: The capability.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `CutRaiseRefusal` when more is held and none of it can become effective,
    ///   `CommitError.refused`, `ReplicaError`, or an error of the store.
    package func raiseCut(
        of capability: Hash,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        _ = try statements.authorise(.raiseCut, zone: zone, in: transaction)
        let raisable = try Quarantine(of: zone).raisable(under: capability, in: transaction)
        if let obstacle = raisable.obstacles.first, !raisable.isMore { throw obstacle }
        return try statements.say(
            .raiseCut(CutRaise(capability: capability, cuts: raisable.positions)),
            zone: zone,
            in: &transaction
        )
    }

    /// States the rights of accounts without a capability.
    /// - Parameters:
    ///   - access: The rights.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `CommitError.refused`, `ReplicaError`, or an error of the store.
    package func setPublicAccess(
        _ access: PublicAccess,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        _ = try statements.authorise(.publicAccess, zone: zone, in: transaction)
        return try statements.say(.publicAccess(access), zone: zone, in: &transaction)
    }

    /// Checks that this account may delegate a right now, to any account.
    func checkMayGrant(
        _ rights: Rights,
        _ caveats: Caveats,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws {
        let own = try statements.authorise(.grant(rights), zone: zone, in: transaction)
        guard !own.isOwner else { return }
        let chain = try own.state.chain(endingIn: own.right)
        guard chain.steps.count < CapabilityChain.stepCountMax else { throw CapabilityError.tooLong }
        let promise = Capability(
            resource: chain.capability.resource,
            issuer: chain.capability.audience,
            signer: committer.device,
            audience: .zero,
            rights: rights,
            caveats: caveats,
            parent: chain.leaf.id,
            nonce: [UInt8](repeating: 0, count: Capability.nonceByteCount)
        )
        try promise.checkNarrows(chain.capability)
    }
}

extension Capability.Terms {
    /// The terms that a capability states.
    fileprivate init(_ capability: Capability) {
        self.init(audience: capability.audience, rights: capability.rights, caveats: capability.caveats)
    }
}

extension ControlState {
    /// Returns an effective capability with the same terms, granted by the same right.
    fileprivate func capability(with terms: Capability.Terms, under right: Hash) -> SignedCapability? {
        let held = participants[terms.audience]?.capabilities ?? []
        return held.lazy.compactMap { capabilities[$0] }.first { record in
            record.capability.rights == terms.rights && record.capability.caveats == terms.caveats
                && (record.chain.dropLast().last ?? ownership.right) == right
        }?.verified.signed
    }

    /// The chain that a capability is the end of.
    fileprivate func chain(endingIn capability: Hash) throws -> CapabilityChain {
        let steps = (capabilities[capability]?.chain ?? []).compactMap { capabilities[$0]?.verified }
        return try CapabilityChain(steps, owner: steps.first?.capability.issuer ?? owner)
    }
}
