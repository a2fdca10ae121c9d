import Identity
import Records
import Sync
import Wire

// Zones that this account owns together with another one.
extension Node {
    /// See `ContainerAPI`.
    package func pairZone(
        name: String,
        container: String,
        with account: String
    ) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool) {
        try Self.check(zoneName: name)
        try check(newContainer: container)
        return try await writing { [self] transaction in
            let committer = replica.committer
            let other = try AccountReference(text: account).find(among: [], committer, in: transaction)
            guard other != identity.account else { throw InviteError.ownAccount }
            guard try !Blocklist(committer).contains(other, in: transaction) else {
                throw InviteError.blocked(other)
            }
            guard committer.accounts[other] != nil else { throw Self.strange(other) }
            let terms = try PairZones(committer).terms(with: other, container: container, name: name)
            let (zone, notice) = try PairZones(committer).enter(terms, in: &transaction)
            let status = try replica.status(of: try row(of: zone.text, in: transaction), in: transaction)
            return Changed((status, notice.number != nil), notice: notice)
        }
    }

    private static func strange(_ account: AccountID) -> NodeError {
        NodeError(
            .accountUnknown,
            "The account \(account.shortText) is not known here.",
            fix: "Share any zone with it, or join one of its zones, so that the accounts exchange their logs."
        )
    }
}
