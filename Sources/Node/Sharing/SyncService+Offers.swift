import Identity
import Logging
import Peering
import Sync
import Wire

// Zones in which other accounts make this one a participant without an invitation: people decide whether to accept.
extension SyncService {
    /// Characters of an offer's name that are enough, if they are one offer's alone.
    private static let offerPrefixCount = 8

    /// The offers, oldest first.
    func offered() -> [OpenJoinStatus] {
        core.offers.all.sorted { ($0.value.heard, $0.key) < ($1.value.heard, $1.key) }.map { zone, offer in
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
        let fitting = core.offers.all.keys.filter { $0.text.hasPrefix(text) }
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
        guard let terms = core.offers.all[zone]?.terms else {
            throw NodeError(.notReady, "The zone is no longer offered.", fix: "`kairan join ls` lists offers.")
        }
        let status = try await enter(terms)
        core.accepted(zone)
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
        stepAside { core, _ in core.networkChanged() }
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
