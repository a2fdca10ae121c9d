import Capabilities
import Identity
package import Records
package import Wire

/// The transfer of a zone from its owner to another account: the zone is offered, the other account consents, and the
/// device that made the offer completes it.
package struct ZoneTransfers: Sendable {
    /// How long a device that has learnt of a consent waits before it transfers the zone, in milliseconds: two
    /// minutes.
    ///
    /// The cuts of a transfer are final. A consent arrives with the control logs, ahead of records that other devices of the owner
    /// wrote while this one was away, and possibly before a withdrawal or a revocation by them.
    package static let waitMilliseconds: UInt64 = 120_000

    let committer: Committer
    private let statements: ControlStatements

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
        statements = ControlStatements(committer)
    }

    /// Offers a zone to another account, in place of an earlier offer.
    ///
    /// It stays this account's until a device of the other one consents and this device learns of it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - newOwner: The account to offer it to.
    ///   - level: The right that this account keeps; `nil` for none.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it is offered like this already, by this device.
    /// - Throws: `CommitError.refused`, `ReplicaError`, or an error of the store.
    package func offer(
        _ zone: ZoneID,
        to newOwner: AccountID,
        keeping level: AccessLevel?,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let state = try statements.authorise(.transfer, zone: zone, in: transaction).state
        let actor = try committer.author(in: zone, transaction).actor
        if let offer = state.offer, offer.author == actor, offer.newOwner == newOwner, offer.keeps == level,
            offer.answer == nil || offer.consent != nil
        {
            return CommitNotice()
        }
        return try statements.say(
            .transferOffer(TransferOffer(to: newOwner, keeps: level)),
            zone: zone,
            in: &transaction
        )
    }

    /// Withdraws the offer of a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `CommitError.notOffered` where it is not offered, `CommitError.refused`, `ReplicaError`, or an error
    ///   of the store.
    package func withdraw(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard try statements.authorise(.transfer, zone: zone, in: transaction).state.offer != nil else {
            throw CommitError.notOffered(zone)
        }
        return try statements.say(.transferOffer(.withdrawal), zone: zone, in: &transaction)
    }

    /// Answers the offer of a zone to this account.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - accepts: Whether this account consents to own the zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when this was the answer already.
    /// - Throws: `CommitError.notOffered` where it is not offered to this account, `CommitError.refused`,
    ///   `ReplicaError`, or an error of the store.
    package func answer(
        _ zone: ZoneID,
        accepting accepts: Bool,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let state = try statements.authorise(.answerTransfer, zone: zone, in: transaction).state
        guard let offer = state.offer, offer.newOwner == committer.account.account else {
            throw CommitError.notOffered(zone)
        }
        guard let answer = offer.answer, (offer.consent != nil) == accepts else {
            let answer: TransferAnswer =
                accepts
                ? .accepted(consent(zone, after: offer.ownership, to: offer.entry)) : .declined(offer: offer.entry)
            return try statements.say(.transferAnswer(answer), zone: zone, in: &transaction)
        }
        assert(answer.offer == offer.entry, "an answer names the offer that it is an answer to")
        return CommitNotice()
    }

    /// The consent of this account to own a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - ownership: The right of the ownership that ends.
    ///   - offer: The offer that is answered.
    /// - Returns: The consent, signed by this device.
    package func consent(_ zone: ZoneID, after ownership: Hash, to offer: Hash) -> SignedTransferConsent {
        TransferConsent(
            zone: zone,
            ownership: ownership,
            account: committer.account.account,
            offer: offer,
            device: committer.device
        )
        .signed(by: committer.keys.sign)
    }

    /// Transfers a zone to an account that has consented.
    ///
    /// The logs that this account wrote as the owner are cut at the sizes that this store holds now.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - consent: The consent; with an invalid one every reader treats the transfer as void.
    ///   - level: The right that this account keeps; `nil` for none.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `CommitError.refused`, `ReplicaError`, or an error of the store.
    package func transfer(
        _ zone: ZoneID,
        with consent: SignedTransferConsent,
        keeping level: AccessLevel?,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let right = try statements.authorise(.transfer, zone: zone, in: transaction).right
        var notice = try EpochKeys(committer).renewIfDue(zone, in: &transaction)
        let transfer = try transfer(zone, under: right, with: consent, keeping: level, in: transaction)
        notice.merge(try statements.say(.transfer(transfer), zone: zone, in: &transaction))
        return notice
    }

    /// Transfers a zone if this device has offered it, the other account consents, and this device has had time to
    /// catch up.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was due.
    /// - Throws: `ReplicaError`, or an error of the store.
    func completeIfDue(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard try accepted(zone, in: transaction) != nil, let heard = try offerTime(of: zone, in: transaction),
            // A clock that was turned back since is no evidence.
            committer.wallMilliseconds >= heard &+ Self.waitMilliseconds || committer.wallMilliseconds < heard
        else { return CommitNotice() }
        return try committer.tracking(zone, in: &transaction) { transaction in
            // Devices that lack keys cannot ask this one any more.
            let isLacking = try transaction.zone(zone)?.needsKeys == true
            var outcome = isLacking ? try EpochKeys(committer).supply(zone, in: &transaction) : nil
            if let row = try transaction.zone(zone), let (offer, consent) = try accepted(zone, in: transaction) {
                let transfer = try transfer(
                    zone,
                    under: row.right,
                    with: consent,
                    keeping: offer.keeps,
                    in: transaction
                )
                if try statements.commitIfRoom(.transfer(transfer), zone: zone, in: &transaction) != nil {
                    outcome.add(try LogRulings(committer).rule(zone, in: &transaction) ?? RulingOutcome())
                }
            }
            return try CommitNotice(outcome, zone: zone, in: &transaction)
        }
    }

    /// Remembers the offer of a zone, and the answer to it.
    /// - Returns: Whether they differ from those remembered before.
    /// - Throws: Any error of the store.
    func note(_ zone: ZoneRow, in transaction: inout some NodeTransaction) throws -> Bool {
        let offer = try ZoneRights(zone, of: committer, in: transaction).state.offer
        let noted = offer.map {
            NotedOffer(milliseconds: committer.wallMilliseconds, entry: $0.entry, answer: $0.answer?.encoded)
        }
        let before = try transaction.notedOffer(of: zone.id)
        guard before?.entry != noted?.entry || before?.answer != noted?.answer else { return false }
        try transaction.setNotedOffer(noted, of: zone.id)
        return true
    }

    /// Returns the time at which this store learnt of the offer of a zone, or of the answer to it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Milliseconds since 1970, by this device's clock; `nil` where the zone is not offered.
    /// - Throws: Any error of the store.
    package func offerTime(of zone: ZoneID, in transaction: some NodeTransaction) throws -> UInt64? {
        try transaction.notedOffer(of: zone)?.milliseconds
    }

    /// Returns the zones that are offered to this account and wait for its answer.
    ///
    /// Offers of blocked accounts are left out.
    /// - Parameter transaction: The store.
    /// - Returns: Each with its owner and the time at which this store learnt of the offer.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func waiting(
        in transaction: some NodeTransaction
    ) throws -> [(zone: ZoneRow, owner: AccountID, since: UInt64)] {
        try transaction.zones().compactMap { zone in
            guard try ZoneViews(committer).isShown(zone, in: transaction) else { return nil }
            let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
            guard let offer = state.offer, offer.newOwner == committer.account.account, offer.answer == nil,
                try !Blocklist(committer).contains(state.owner, in: transaction)
            else { return nil }
            return (zone, state.owner, try offerTime(of: zone.id, in: transaction) ?? 0)
        }
    }

    /// The offer of a zone that this store has made in its present incarnation and that the other account accepts, where this device
    /// can complete it.
    private func accepted(
        _ zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> (offer: OwnershipOffer, consent: SignedTransferConsent)? {
        guard committer.mayWrite, let row = try transaction.zone(zone), row.state == .live, !row.isUnverified,
            row.role == .owner
        else { return nil }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        // A restored backup may hold an offer that was completed or withdrawn since: it makes another one.
        guard let offer = rights.state.offer, let consent = offer.consent,
            offer.author == (try committer.author(in: zone, transaction).actor), offer.ownership == row.right,
            rights.state.stands(committer.device, under: row.right, directory: rights.directory),
            try statements.mayContinue(in: zone, transaction)
        else { return nil }
        return (offer, consent)
    }

    private func transfer(
        _ zone: ZoneID,
        under right: Hash,
        with consent: SignedTransferConsent,
        keeping level: AccessLevel?,
        in transaction: some NodeTransaction
    ) throws -> OwnershipTransfer {
        let regrants = try level.map { [try ownCapability($0, zone: zone, consent: consent)] } ?? []
        let cuts = try statements.positions(in: zone, in: transaction) { $0.right == right }
        return OwnershipTransfer(consent: consent, cuts: cuts, regrants: regrants)
    }

    /// Makes the right that this account keeps in a zone that it transfers.
    private func ownCapability(
        _ level: AccessLevel,
        zone: ZoneID,
        consent: SignedTransferConsent
    ) throws -> SignedCapability {
        // An account that stays on as an admin has to be able to bring others in.
        let mayDelegate = level == .admin
        let capability = Capability(
            resource: .zone(zone),
            issuer: committer.account.account,
            signer: committer.device,
            audience: committer.account.account,
            rights: Rights(level, canDelegate: mayDelegate),
            caveats: Caveats(delegationDepth: mayDelegate ? Limits.delegationDepthMax : 0),
            parent: .zero,
            // An offer leads to one transfer only.
            nonce: Array(consent.consent.offer.bytes.prefix(Capability.nonceByteCount))
        )
        return try capability.signed(by: committer.keys.sign)
    }
}
