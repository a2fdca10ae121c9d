import Capabilities
import Records
import Sync
package import Wire

// Offers of a zone to another account, and that account's answers.
extension Node {
    /// See `SharingAPI`.
    package func offerTransfer(
        of reference: String,
        to account: String,
        keeping level: AccessLevel?
    ) async throws(NodeError) -> TransferStatus {
        let outcome: Told<TransferStatus> = try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            try Self.checkIsCustom(zone)
            let state = try committer.controlState(zone.id, in: transaction)
            let newOwner = try AccountReference(text: account)
                .find(among: state.namedAccounts, committer, in: transaction)
            guard newOwner != state.owner else { throw Self.needless(newOwner) }
            guard try !committer.isBlocked(newOwner, in: transaction) else { throw InviteError.blocked(newOwner) }
            let notice = try committer.offer(zone.id, to: newOwner, keeping: level, in: &transaction)
            // An account that does not have the zone could not administer it, and no other account could any more.
            guard let right = state.participants[newOwner]?.rights.level, right >= .read else {
                throw Self.noPart(newOwner)
            }
            return (notice, try Self.transfer(of: zone.id, committer, in: transaction))
        }
        return outcome.value
    }

    /// See `SharingAPI`.
    package func withdrawTransfer(of reference: String) async throws(NodeError) -> TransferStatus {
        let outcome: Told<TransferStatus> = try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            let state = try committer.controlState(zone.id, in: transaction)
            let notice = try committer.withdrawOffer(of: zone.id, in: &transaction)
            guard let offer = state.offer else { throw CommitError.notOffered(zone.id) }
            var status = TransferStatus(offer, of: zone.id, ownedBy: state.owner)
            status.state = .withdrawn
            return (notice, status)
        }
        return outcome.value
    }

    /// See `SharingAPI`.
    package func answerTransfer(of reference: String, accepting accepts: Bool) async throws(NodeError) -> TransferStatus
    {
        let outcome: Told<TransferStatus> = try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            let notice = try committer.answerOffer(of: zone.id, accepting: accepts, in: &transaction)
            return (notice, try Self.transfer(of: zone.id, committer, in: transaction))
        }
        return outcome.value
    }

    /// The zones that their owners offer to this account, and that this account has not answered for.
    func offeredZones() async throws(NodeError) -> [OpenJoinStatus] {
        try await reading { [self] transaction in
            let committer = replica.committer
            return try transaction.zones().compactMap { zone in
                guard try committer.isShown(zone, in: transaction) else { return nil }
                let state = try committer.controlState(zone.id, in: transaction)
                guard let offer = state.offer, offer.newOwner == identity.account, offer.answer == nil,
                    try !committer.isBlocked(state.owner, in: transaction)
                else { return nil }
                return OpenJoinStatus(
                    invite: zone.id.text,
                    account: state.owner,
                    state: .transferOffered,
                    zoneName: zone.genesis.name,
                    openedMilliseconds: try committer.offerTime(zone.id, in: transaction) ?? 0
                )
            }
        }
    }

    private static func transfer(
        of zone: ZoneID,
        _ committer: Committer,
        in transaction: some NodeTransaction
    ) throws -> TransferStatus {
        let state = try committer.controlState(zone, in: transaction)
        guard let offer = state.offer else { throw CommitError.notOffered(zone) }
        return TransferStatus(offer, of: zone, ownedBy: state.owner)
    }
}

extension TransferStatus {
    /// The offer of a zone.
    init(_ offer: OwnershipOffer, of zone: ZoneID, ownedBy owner: AccountID) {
        let state: TransferStatus.State =
            switch offer.answer {
            case nil: .offered
            case .accepted: .accepted
            case .declined: .declined
            }
        self.init(zone: zone, owner: owner, account: offer.newOwner, keeps: offer.keeps, state: state)
    }
}
