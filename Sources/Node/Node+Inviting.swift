import Capabilities
import Identity
import Records
import Sodium
import Sync
import Wire

extension Node {
    /// See `InvitingAPI`.
    package func invite(
        zone reference: String,
        terms: ShareTerms,
        limits: InviteLimits
    ) async throws(NodeError) -> (invite: InvitationStatus, isNew: Bool) {
        try terms.check()
        try limits.check()
        return try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            try Self.checkIsCustom(zone)
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
            let view = try InvitationStatus(status, of: identity.account, addresses: limits.addresses)
            return Changed((view, notice.number != nil), notice: notice)
        }
    }

    /// See `InvitingAPI`.
    package func withdrawInvite(_ id: String, zone reference: String) async throws(NodeError) {
        try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            let fitting = try Invitations(committer).all(to: zone.id, in: transaction).map(\.invite).filter {
                $0.text == id
            }
            guard let invite = fitting.first else { throw InviteError.unknownInvite }
            return Changed((), notice: try Invitations(committer).withdraw(invite.identifier, in: &transaction))
        }
    }

    /// See `InvitingAPI`.
    package func approveRequest(_ request: String, zone reference: String) async throws(NodeError) -> Bool {
        return try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            let id = try RequestReference(text: request).find(in: zone.id, committer, transaction)
            var random = SystemRandom()
            let (capability, notice) = try Redemptions(committer).approve(id, random: &random, in: &transaction)
            return Changed(capability != nil, notice: notice)
        }
    }

    /// See `InvitingAPI`.
    package func denyRequest(_ request: String, zone reference: String) async throws(NodeError) {
        try await ruling(reference) { [self] zone, transaction in
            let committer = replica.committer
            let id = try RequestReference(text: request).find(in: zone.id, committer, transaction)
            return Changed((), notice: try Redemptions(committer).deny(id, in: &transaction))
        }
    }

    // MARK: Blocks

    /// See `InvitingAPI`.
    package func blocks() async throws(NodeError) -> [BlockStatus] {
        try await reading { [replica] in try Blocklist(replica.committer).all($0).map(BlockStatus.init) }
    }

    /// See `InvitingAPI`.
    package func block(account: String) async throws(NodeError) -> BlockStatus {
        return try await regarding(account) { committer, account, transaction in
            let notice = try Blocklist(committer).block(account, in: &transaction)
            guard let block = try Blocklist(committer).all(transaction).first(where: { $0.account == account }) else {
                throw InviteError.blocked(account)
            }
            return Changed(BlockStatus(block), notice: notice)
        }
    }

    /// See `InvitingAPI`.
    package func unblock(account: String) async throws(NodeError) {
        try await regarding(account) { committer, account, transaction in
            Changed((), notice: try Blocklist(committer).unblock(account, in: &transaction))
        }
    }

    /// Runs a change of the account's book about another account.
    func regarding<Value: Sendable>(
        _ account: String,
        _ body: @escaping @Sendable (Committer, AccountID, inout any NodeTransaction) throws -> Changed<Value>
    ) async throws(NodeError) -> Value {
        try await writing { [self] transaction in
            let committer = replica.committer
            // An account may be known from a zone alone.
            var known = Set(try Blocklist(committer).all(transaction).map(\.account))
            for row in try rows(transaction) where !row.isDeleted {
                known.formUnion(try ZoneViews(committer).controlState(row.id, in: transaction).namedAccounts)
            }
            let id = try AccountReference(text: account).find(among: known, committer, in: transaction)
            return try body(committer, id, &transaction)
        }
    }
}

extension BlockStatus {
    fileprivate init(_ block: Block) {
        self.init(account: block.account, sinceMilliseconds: block.since)
    }
}
