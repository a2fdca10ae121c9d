import Capabilities
import Identity
import Records
import Sodium
import Sync
import Wire

/// Answers requests about invitations to zones, requests to join them, and blocks.
struct InvitingRequests: InvitingAPI {
    let store: CallerStore

    func invite(
        zone reference: String,
        terms: ShareTerms,
        limits: InviteLimits
    ) async throws(NodeError) -> (invite: InvitationStatus, isNew: Bool) {
        try terms.check()
        try limits.check()
        return try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            try zone.checkIsCustom()
            let wanted = InviteTerms(terms, limits, now: committer.wallMilliseconds)
            var random = SystemRandom()
            let (invite, notice) = try Invitations(committer).make(
                wanted,
                zone: zone.id,
                isCountedByRelay: limits.isCountedByRelay,
                random: &random,
                in: &transaction
            )
            let all = try Invitations(committer).all(to: zone.id, in: transaction)
            guard let status = all.first(where: { $0.invite.identifier == invite.identifier }) else {
                throw InviteError.unknownInvite
            }
            let view = try InvitationStatus(status, of: store.identity.account, addresses: limits.addresses)
            return Changed((view, notice.number != nil), notice: notice)
        }
    }

    func withdrawInvite(_ id: String, zone reference: String) async throws(NodeError) {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            let fitting = try Invitations(committer).all(to: zone.id, in: transaction).map(\.invite).filter {
                $0.text == id
            }
            guard let invite = fitting.first else { throw InviteError.unknownInvite }
            return Changed((), notice: try Invitations(committer).withdraw(invite.identifier, in: &transaction))
        }
    }

    func approveRequest(_ request: String, zone reference: String) async throws(NodeError) -> Bool {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            let id = try RequestReference(text: request).find(in: zone.id, committer, transaction)
            var random = SystemRandom()
            let (capability, notice) = try Redemptions(committer).approve(id, random: &random, in: &transaction)
            return Changed(capability != nil, notice: notice)
        }
    }

    func denyRequest(_ request: String, zone reference: String) async throws(NodeError) {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            let id = try RequestReference(text: request).find(in: zone.id, committer, transaction)
            return Changed((), notice: try Redemptions(committer).deny(id, in: &transaction))
        }
    }

    // MARK: Blocks

    func blocks() async throws(NodeError) -> [BlockStatus] {
        try await store.read { try Blocklist(store.committer).all($0).map(BlockStatus.init) }
    }

    func block(account: String) async throws(NodeError) -> BlockStatus {
        try await store.write { transaction in
            let committer = store.committer
            let account = try store.zones.account(of: account, in: transaction)
            let notice = try Blocklist(committer).block(account, in: &transaction)
            guard let block = try Blocklist(committer).all(transaction).first(where: { $0.account == account }) else {
                throw InviteError.blocked(account)
            }
            return Changed(BlockStatus(block), notice: notice)
        }
    }

    func unblock(account: String) async throws(NodeError) {
        try await store.write { transaction in
            let account = try store.zones.account(of: account, in: transaction)
            return Changed((), notice: try Blocklist(store.committer).unblock(account, in: &transaction))
        }
    }
}

extension BlockStatus {
    fileprivate init(_ block: Block) {
        self.init(account: block.account, sinceMilliseconds: block.since)
    }
}
