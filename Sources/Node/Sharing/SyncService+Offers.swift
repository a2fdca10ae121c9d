import Identity
import Logging
import Sync
import Wire

// Zones that other accounts let this one take part in without an invitation: people say whether to.
extension SyncService {
    /// Zones that are offered at once; further ones are not kept, and are offered again in the next session.
    static let offerCountMax = 256

    /// Notes an offer.
    func offered(_ terms: ZoneTerms, by account: AccountID) {
        let zone = ZoneID(terms.genesis)
        guard offers[zone] != nil || offers.count < Self.offerCountMax else { return }
        if offers.updateValue((terms, account), forKey: zone) == nil {
            dependencies.logger.notice(
                "a zone is offered",
                metadata: ["zone.id": "\(zone.shortText)", "account.id": "\(account.shortText)"]
            )
        }
    }

    /// Takes part in a zone that is offered.
    /// - Returns: `nil` when it is not.
    func accept(_ zone: ZoneID) async throws(NodeError) -> JoinStatus? {
        guard let (terms, _) = offers[zone] else { return nil }
        guard dependencies.identity.mayWrite else { throw Node.readOnly }
        do {
            _ = try await dependencies.commits.perform { [replica = dependencies.replica] transaction in
                try replica.change(&transaction) { committer, _, transaction in
                    try committer.join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
                }
            } whenDurable: { [replica = dependencies.replica] in
                replica.announce($0)
            }
        } catch {
            dependencies.logger.error("offered zone not joined", metadata: ["error": "\(error)"])
            throw NodeError(.storageFailed, "The storage failed; nothing was changed.", fix: "See the daemon's log.")
        }
        offers[zone] = nil
        return JoinStatus(zone: zone, rights: nil, state: .joined)
    }
}
