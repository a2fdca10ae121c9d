import KairanInterface
import Identity
import Records
import Sync
import Wire

extension InviteLimits {
    /// Makes sure that an invitation can be made so.
    /// - Throws: `NodeError` `invalidArgument`.
    func check() throws(NodeError) {
        guard (1...Int(InviteTerms.usesMax)).contains(uses) else {
            throw Self.invalid("uses", "An invitation is for 1 to \(InviteTerms.usesMax) accounts.")
        }
        guard (60_000...2_592_000_000).contains(lifetimeMilliseconds) else {
            throw Self.invalid("expires_s", "An invitation is valid for a minute to 30 days.")
        }
    }

    fileprivate static func invalid(_ field: String, _ message: String) -> NodeError {
        NodeError(.invalidArgument, message, fix: "Correct the value.", facts: [.field(field)])
    }
}

extension InviteTerms {
    /// Makes the terms of an invitation.
    init(_ terms: ShareTerms, _ limits: InviteLimits, now: UInt64) {
        self.init(
            rights: terms.rights,
            caveats: terms.caveats(now: now),
            uses: UInt32(limits.uses),
            expires: now &+ limits.lifetimeMilliseconds,
            needsApproval: limits.needsApproval
        )
    }
}

extension InvitationStatus {
    /// An invitation of an account, with the link that leads to it.
    /// - Throws: `NodeError` `invalidArgument` for addresses that cannot be in a link.
    init(_ status: InviteStatus, of account: AccountID, addresses: [String]) throws(NodeError) {
        let invite = status.invite
        let link = try Self.link(to: invite, of: account, addresses: addresses)
        self.init(
            id: invite.text,
            link: link,
            level: invite.terms.rights.level,
            delegationDepth: invite.terms.rights.canDelegate ? invite.terms.caveats.delegationDepth : 0,
            uses: Int(invite.terms.uses),
            taken: status.taken,
            expiresMilliseconds: invite.terms.expires,
            needsApproval: invite.terms.needsApproval,
            state: .init(rawValue: status.state.rawValue),
            device: invite.maker,
            relay: invite.relay
        )
    }

    private static func link(
        to invite: Invite,
        of account: AccountID,
        addresses: [String]
    ) throws(NodeError) -> String {
        do {
            return try InviteLink(secret: invite.secret, account: account, addresses: addresses).text
        } catch {
            throw InviteLimits.invalid(
                "addresses",
                "An invitation names at most \(InviteLink.addressCountMax) addresses, each as host:port."
            )
        }
    }
}

extension Invite {
    /// The relay that counts its uses, if one does.
    fileprivate var relay: RelayID? {
        guard case .relay(let relay, _) = countersigner else { return nil }
        return relay
    }
}

/// A reference to a request to join: its id, or the account that asks.
struct RequestReference: Sendable {
    /// The text of the reference.
    let text: String

    /// Finds the request that the reference means.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - committer: The committer, which knows the requests.
    ///   - transaction: The store.
    /// - Returns: The request; one that is named by its id need not wait any more.
    /// - Throws: `NodeError` `requestUnknown`.
    func find(
        in zone: ZoneID,
        _ committer: Committer,
        _ transaction: any NodeTransaction
    ) throws -> Redemption.ID {
        let parts = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        let invites = try Invitations(committer).all(to: zone, in: transaction).map(\.invite)
        if parts.count == 2, let account = AccountID(text: String(parts[1])),
            let invite = invites.first(where: { $0.text == parts[0] })
        {
            return Redemption.ID(invite: invite.identifier, account: account)
        }
        let requests = try Redemptions(committer).requests(for: zone, in: transaction).map(\.id)
        let names = try AccountNames(committer, transaction)
        let accounts = AccountReference(text: text).fitting(among: Set(requests.map(\.account)), names)
        let fitting = requests.filter { accounts.contains($0.account) }
        guard let id = fitting.first, fitting.count == 1 else {
            throw NodeError(
                .requestUnknown,
                fitting.isEmpty
                    ? "No request to join has the name \"\(text)\"."
                    : "\(fitting.count) requests fit \"\(text)\".",
                fix: "`kairan share ls` lists the requests with their ids."
            )
        }
        return id
    }
}
