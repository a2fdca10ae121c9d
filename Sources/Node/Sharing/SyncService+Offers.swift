import Identity
import Logging
import Peering
import Sync
import Wire

// Zones in which other accounts make this one a participant without an invitation: people decide whether to accept.
extension SyncService {
    /// A zone that may be joined.
    struct Offer: Sendable {
        let terms: ZoneTerms
        /// The account that offers it.
        let account: AccountID
        /// The time at which the offer first arrived, in milliseconds since 1970.
        let heard: UInt64
    }

    /// Zones that are offered at once; further ones are not kept, and are offered again in the next session.
    static let offerCountMax = 256
    /// Of those, the ones of one account: it could make zones for no other purpose.
    static let offerCountPerAccountMax = 32
    /// Characters of an offer's name that are enough, if they are one offer's alone.
    private static let offerPrefixCount = 8

    /// Notes an offer.
    func offered(_ terms: ZoneTerms, by account: AccountID) {
        let zone = ZoneID(terms.genesis)
        guard !terms.genesis.isInternal, mayOffer(terms, by: account) else { return }
        // For a zone that this account is to own as well, the claim of an account is not trusted.
        if terms.genesis.partner != nil, !PairZones(dependencies.replica.committer).derives(terms) { return }
        let heard = offers[zone]?.heard ?? dependencies.clock.wall()
        offers[zone] = Offer(terms: terms, account: account, heard: heard)
        dependencies.logger.notice(
            "a zone is offered; `kairan join ls` lists it",
            metadata: ["zone.id": "\(zone.shortText)", "account.id": "\(account.shortText)"]
        )
        // Watchers look again.
        for (id, link) in links where link.account == account && sessions.isOpen(id) { publishPeer(link.device) }
    }

    /// Whether an offer is kept: for a zone the first, but no account's claim about its key overrides that of the
    /// zone's creator.
    private func mayOffer(_ terms: ZoneTerms, by account: AccountID) -> Bool {
        if let known = offers[ZoneID(terms.genesis)] {
            return account == terms.genesis.owner && known.account != account
        }
        return offers.count < Self.offerCountMax
            && offers.values.filter { $0.account == account }.count < Self.offerCountPerAccountMax
    }

    /// The offers, oldest first.
    func offered() -> [OpenJoinStatus] {
        offers.sorted { ($0.value.heard, $0.key) < ($1.value.heard, $1.key) }.map { zone, offer in
            OpenJoinStatus(
                invite: zone.text,
                account: offer.account,
                state: .offered,
                zoneName: offer.terms.genesis.name,
                openedMilliseconds: offer.heard
            )
        }
    }

    /// The offered zone that people mean; `nil` when the text names none.
    func offer(named text: String) throws(NodeError) -> ZoneID? {
        guard text.count >= Self.offerPrefixCount else { return nil }
        let fitting = offers.keys.filter { $0.text.hasPrefix(text) }
        guard fitting.count <= 1 else {
            throw NodeError(
                .invalidArgument,
                "\(fitting.count) offered zones' ids begin with \(text).",
                fix: "Give more of it."
            )
        }
        return fitting.first
    }

    /// Takes part in a zone that is offered.
    func accept(_ zone: ZoneID) async throws(NodeError) -> JoinStatus {
        guard dependencies.identity.mayWrite else { throw Node.readOnly }
        guard let terms = offers[zone]?.terms else {
            throw NodeError(.notReady, "The zone is no longer offered.", fix: "`kairan join ls` lists offers.")
        }
        let status = try await enter(terms)
        offers[zone] = nil
        return status
    }

    /// Opens a zone that every account may read.
    /// - Parameter text: The link.
    /// - Returns: The zone; its content comes from its members.
    /// - Throws: `inviteMalformed`, `inviteOwnAccount`, `storageFailed`.
    func open(publicLink text: String) async throws(NodeError) -> JoinStatus {
        let link = try Self.parse(publicLink: text)
        guard !link.terms.genesis.isInternal else { throw Self.malformed(.malformed) }
        guard link.terms.genesis.owner != dependencies.identity.account else { throw Self.told(.ownAccount) }
        let status = try await enter(link.terms)
        sessions.directory.forgetFailures()
        mailbox.put(.tick(deadline: 0))
        return status
    }

    private static func parse(publicLink text: String) throws(NodeError) -> PublicLink {
        do throws(InviteLinkError) {
            return try PublicLink(typed: text)
        } catch {
            throw malformed(error)
        }
    }

    /// Makes a zone known here; its control log has the rights in it.
    private func enter(_ terms: ZoneTerms) async throws(NodeError) -> JoinStatus {
        do {
            _ = try await dependencies.commits.perform { [replica = dependencies.replica] transaction in
                try replica.change(&transaction) { committer, _, transaction in
                    try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
                }
            } whenDurable: { [replica = dependencies.replica] in
                replica.announce($0)
            }
        } catch {
            dependencies.logger.error("zone not joined", metadata: ["error": "\(error)"])
            throw NodeError(.storageFailed, "The storage failed; nothing was changed.", fix: "See the daemon's log.")
        }
        return JoinStatus(zone: ZoneID(terms.genesis), rights: nil, state: .joined)
    }
}
