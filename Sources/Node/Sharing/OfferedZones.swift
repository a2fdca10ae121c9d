import Identity
import Logging
import Peering
import Sync
import Wire

/// Zones in which this account takes part without an invitation, once a person accepts: those in which other accounts granted it a right,
/// and those that every account may read.
struct OfferedZones: Sendable {
    /// Characters of an offer's name that are enough, if they are one offer's alone.
    private static let prefixCount = 8

    private let sync: SyncService

    /// Accepts zones on a service's device.
    init(_ sync: SyncService) {
        self.sync = sync
    }

    /// The offers, oldest first.
    func all() async -> [OpenJoinStatus] {
        await sync.look { core in
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
    }

    /// The offered zone that people mean; `nil` when the text names none.
    func zone(named text: String) async throws(NodeError) -> ZoneID? {
        guard text.count >= Self.prefixCount else { return nil }
        let fitting = await sync.look { core in core.offers.all.keys.filter { $0.text.hasPrefix(text) } }
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
        guard sync.dependencies.identity.mayWrite else { throw NodeError.readOnly }
        guard let terms = await sync.look({ $0.offers.all[zone]?.terms }) else {
            throw NodeError(.notReady, "The zone is no longer offered.", fix: "`kairan join ls` lists offers.")
        }
        let status = try await enter(terms)
        await sync.use { $0.accepted(zone) }
        return status
    }

    /// Opens a zone that every account may read.
    /// - Parameter text: The link.
    /// - Returns: The zone; its content comes from its members.
    /// - Throws: `inviteMalformed`, `inviteOwnAccount`, `storageFailed`.
    func open(publicLink text: String) async throws(NodeError) -> JoinStatus {
        let link: PublicLink
        do throws(InviteLinkError) {
            link = try PublicLink(typed: text)
        } catch {
            throw NodeError(error)
        }
        guard !link.terms.genesis.isInternal else { throw NodeError(InviteLinkError.malformed) }
        guard link.terms.genesis.owner != sync.dependencies.identity.account else {
            throw NodeError(JoinRefusalCode.ownAccount)
        }
        let status = try await enter(link.terms)
        await sync.stepAside { core, _ in core.networkChanged() }
        return status
    }

    /// Makes a zone known here; its control log has the rights in it.
    private func enter(_ terms: ZoneTerms) async throws(NodeError) -> JoinStatus {
        let dependencies = sync.dependencies
        do {
            _ = try await dependencies.commits.perform { [commitService = dependencies.commitService] transaction in
                try commitService.change(&transaction) { committer, _, transaction in
                    try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
                }
            } whenDurable: { [commitService = dependencies.commitService] in
                commitService.announce($0)
            }
        } catch {
            dependencies.logger.error("zone not joined", metadata: ["error": "\(error)"])
            throw NodeError(.storageFailed, "The storage failed; nothing was changed.", fix: "See the daemon's log.")
        }
        return JoinStatus(zone: ZoneID(terms.genesis), rights: nil, state: .joined)
    }
}
