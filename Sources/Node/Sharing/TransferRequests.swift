import Capabilities
import KairanInterface
import Records
import Sync
import Wire

/// Answers requests about offers of zones to another account, and that account's answers.
struct TransferRequests: TransferAPI {
    let store: CallerStore

    func offerTransfer(
        of reference: String,
        to account: String,
        keeping level: AccessLevel?
    ) async throws(NodeError) -> TransferStatus {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            try zone.checkIsCustom()
            let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
            let newOwner = try AccountReference(text: account)
                .find(among: state.namedAccounts, committer, in: transaction)
            guard newOwner != state.owner else { throw NodeError.shareNeedless(newOwner) }
            guard try !Blocklist(committer).contains(newOwner, in: transaction) else {
                throw InviteError.blocked(newOwner)
            }
            let notice = try ZoneTransfers(committer).offer(zone.id, to: newOwner, keeping: level, in: &transaction)
            // An account that does not have the zone could not administer it, and no other account could any more.
            guard let right = state.participants[newOwner]?.rights.level, right >= .read else {
                throw NodeError.shareUnknown(newOwner)
            }
            return Changed(try Self.transfer(of: zone.id, committer, in: transaction), notice: notice)
        }
    }

    func withdrawTransfer(of reference: String) async throws(NodeError) -> TransferStatus {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
            let notice = try ZoneTransfers(committer).withdraw(zone.id, in: &transaction)
            guard let offer = state.offer else { throw CommitError.notOffered(zone.id) }
            var status = TransferStatus(offer, of: zone.id, ownedBy: state.owner)
            status.state = .withdrawn
            return Changed(status, notice: notice)
        }
    }

    func answerTransfer(of reference: String, accepting accepts: Bool) async throws(NodeError) -> TransferStatus {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            let notice = try ZoneTransfers(committer).answer(zone.id, accepting: accepts, in: &transaction)
            return Changed(try Self.transfer(of: zone.id, committer, in: transaction), notice: notice)
        }
    }

    private static func transfer(
        of zone: ZoneID,
        _ committer: Committer,
        in transaction: some NodeTransaction
    ) throws -> TransferStatus {
        let state = try ZoneViews(committer).controlState(zone, in: transaction)
        guard let offer = state.offer else { throw CommitError.notOffered(zone) }
        return TransferStatus(offer, of: zone, ownedBy: state.owner)
    }
}

extension TransferStatus {
    /// The offer of a zone.
    init(_ offer: OwnershipOffer, of zone: ZoneID, ownedBy owner: AccountID) {
        let state: ZoneTransfer.State =
            switch offer.answer {
            case nil: .offered
            case .accepted: .accepted
            case .declined: .declined
            }
        self.init(zone: zone, owner: owner, account: offer.newOwner, keeps: offer.keeps, state: state)
    }
}
