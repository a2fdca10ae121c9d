import KairanInterface
import Capabilities
import Logging
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
        return try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            try Self.checkIsCustom(zone)
            let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
            let newOwner = try AccountReference(text: account)
                .find(among: state.namedAccounts, committer, in: transaction)
            guard newOwner != state.owner else { throw Self.needless(newOwner) }
            guard try !Blocklist(committer).contains(newOwner, in: transaction) else {
                throw InviteError.blocked(newOwner)
            }
            let notice = try ZoneTransfers(committer).offer(zone.id, to: newOwner, keeping: level, in: &transaction)
            // An account that does not have the zone could not administer it, and no other account could any more.
            guard let right = state.participants[newOwner]?.rights.level, right >= .read else {
                throw Self.noPart(newOwner)
            }
            return Changed(try Self.transfer(of: zone.id, committer, in: transaction), notice: notice)
        }
    }

    /// See `SharingAPI`.
    package func withdrawTransfer(of reference: String) async throws(NodeError) -> TransferStatus {
        return try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
            let notice = try ZoneTransfers(committer).withdraw(zone.id, in: &transaction)
            guard let offer = state.offer else { throw CommitError.notOffered(zone.id) }
            var status = TransferStatus(offer, of: zone.id, ownedBy: state.owner)
            status.state = .withdrawn
            return Changed(status, notice: notice)
        }
    }

    /// See `SharingAPI`.
    package func answerTransfer(of reference: String, accepting accepts: Bool) async throws(NodeError) -> TransferStatus
    {
        return try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            let notice = try ZoneTransfers(committer).answer(zone.id, accepting: accepts, in: &transaction)
            return Changed(try Self.transfer(of: zone.id, committer, in: transaction), notice: notice)
        }
    }

    /// The zones that their owners offer to this account, and that this account has not answered for.
    func offeredZones() async throws(NodeError) -> [OpenJoinStatus] {
        try await reading { [self] transaction in
            let committer = replica.committer
            return try transaction.zones().compactMap { zone in
                guard try ZoneViews(committer).isShown(zone, in: transaction) else { return nil }
                let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
                guard let offer = state.offer, offer.newOwner == identity.account, offer.answer == nil,
                    try !Blocklist(committer).contains(state.owner, in: transaction)
                else { return nil }
                return OpenJoinStatus(
                    invite: zone.id.text,
                    account: state.owner,
                    state: .transferOffered,
                    zoneName: zone.genesis.name,
                    openedMilliseconds: try ZoneTransfers(committer).offerTime(of: zone.id, in: transaction) ?? 0
                )
            }
        }
    }

    /// Raises the warning that zones are offered to this account and wait for its answer, or clears it.
    func noteOffers() async throws(NodeError) {
        let offered = try await offeredZones()
            .sorted { ($0.openedMilliseconds, $0.invite) < ($1.openedMilliseconds, $1.invite) }
        guard let first = offered.first else { return replica.health.clear(Self.offeredCode) }
        let names = try await accountNames()
        let named = offered.prefix(Self.namedOffersMax)
        let shown = named.map { zone in
            let owner = names[zone.account]
            // The other account has chosen its own name, which may look like anybody's: its id goes with it.
            let chosen = owner.displayName.map { "\($0) (\(zone.account.shortText))" }
            return "\(zone.zoneName ?? zone.shortZone) by \(owner.petname ?? chosen ?? zone.account.shortText)"
        }
        let more = offered.count > shown.count ? [" and \(offered.count - shown.count) more"] : []
        replica.health.set(
            HealthWarning(
                code: Self.offeredCode,
                severity: .info,
                message: "Offered to this account, which has not answered: \((shown + more).joined(separator: ", ")).",
                // By its id: another account has chosen the name, and a shell may take it for more than a name.
                fix:
                    "`kairan share accept \(first.shortZone)` accepts it, `kairan share decline \(first.shortZone)` declines it.",
                facts: ["zone.id": named.map(\.shortZone).joined(separator: ", ")]
            )
        )
    }

    /// Looks for offers that come and end, until its task is cancelled.
    func watchOffers() async {
        for await _ in replica.offerWakes {
            do {
                try await noteOffers()
            } catch {
                logger.info("offers of zones could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    /// The warning that is raised while a zone is offered to this account.
    static let offeredCode = "zone.offered"
    /// The zones that the warning names: an owner may offer any number.
    private static let namedOffersMax = 4

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

extension OpenJoinStatus {
    /// The first characters of the id of an offered zone.
    fileprivate var shortZone: String { String(invite.prefix(8)) }
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
