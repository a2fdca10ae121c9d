import Identity
import KairanInterface
import Mailbox
import Sync
import Wire

/// Answers requests about the relays that the account uses.
struct RelayingRequests: RelayAPI {
    let store: CallerStore
    let mail: MailService

    func relays() async throws(NodeError) -> [RelayStatus] {
        let states = await mail.relayStates()
        let (uses, facts) = try await store.read { transaction in
            let committer = store.committer
            return (try RelayUses(committer).all(transaction), try RelayAnnouncements(committer).facts(in: transaction))
        }
        let waiting = try await store.read { transaction in
            try facts.relays.map { relay in
                let id = relay.links.first?.relay ?? .zero
                return UInt64(try PostedParcels(store.committer).all(on: id, in: transaction).count)
            }
        }
        let account = store.identity.account
        return zip(facts.relays, waiting).compactMap { relay, count in
            guard let link = relay.links.first else { return nil }
            let known = states.first { $0.relay.links == relay.links }
            return RelayStatus(
                relay: link.relay,
                addresses: link.addresses,
                state: known.map { Relay.State($0.state) } ?? .connecting,
                isOwn: relay.isOwn,
                accounts: relay.accounts.subtracting([account]).sorted(),
                storedByteCount: known?.used,
                quotaByteCount: known?.quota,
                backend: known?.backend,
                waitingCount: count,
                sinceMilliseconds: uses.first { $0.link == link }?.since
            )
        }
    }

    func useRelay(link text: String) async throws(NodeError) -> (relay: RelayStatus, isNew: Bool) {
        let link: RelayLink
        do {
            link = try RelayLink(typed: text)
        } catch {
            throw NodeError(
                .relayBadLink,
                "This is not a link of a relay: \(error).",
                fix: "Paste the whole link that `kairan relay admit` printed on the relay."
            )
        }
        let isNew = try await store.write { transaction in
            let notice = try RelayUses(store.committer).add(link, in: &transaction)
            return Changed(notice.number != nil, notice: notice)
        }
        let all = try await relays()
        guard let status = all.first(where: { $0.relay == link.relay }) else {
            throw Self.relayUnknown(link.relay.text)
        }
        return (status, isNew)
    }

    func forgetRelay(_ reference: String) async throws(NodeError) {
        let uses = try await store.read { try RelayUses(store.committer).all($0) }
        guard let relay = RelayID.meant(by: reference, among: uses.map(\.link.relay)) else {
            throw Self.relayUnknown(reference)
        }
        try await store.write { transaction in
            Changed((), notice: try RelayUses(store.committer).forget(relay, in: &transaction))
        }
    }

    private static func relayUnknown(_ reference: String) -> NodeError {
        NodeError(.relayUnknown, "No relay \"\(reference)\" is used.", fix: "`kairan relay ls` lists them.")
    }
}

extension Identifier {
    /// Returns the identifier that a reference means: an id, or the first characters of it that only one has.
    static func meant(by reference: String, among all: [Self]) -> Self? {
        guard reference.utf8.count >= 8 else { return nil }
        let fitting = all.filter { $0.text.hasPrefix(reference) }
        return fitting.count == 1 ? fitting.first : nil
    }
}

extension Relay.State {
    fileprivate init(_ state: MailboxClient.State) {
        switch state {
        case .unreachable: self = .unreachable
        case .connecting: self = .connecting
        case .connected: self = .connected
        case .full: self = .full
        case .refused: self = .refused
        }
    }
}
