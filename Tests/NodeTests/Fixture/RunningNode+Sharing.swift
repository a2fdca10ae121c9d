import Capabilities
import Identity
import Sodium
import Sync
import Wire

@testable import Node

// What no program can ask for, or not yet.
extension RunningNode {
    /// Runs a change of the store as the node's own services do.
    func change(
        _ body: @escaping @Sendable (Committer, inout SystemRandom, inout any NodeTransaction) throws -> CommitNotice
    ) async throws {
        _ = try await node.commits.perform { [node] transaction in
            try node.replica.change(&transaction, body)
        } whenDurable: { [node] in
            node.replica.announce($0)
        }
    }

    /// Makes a zone that is the node's own business.
    func makeInternalZone() async throws -> ZoneID {
        let genesis = ZoneGenesis(
            owner: node.identity.account,
            container: "kairan.account",
            name: "book",
            salt: Array(repeating: 9, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: true
        )
        try await change { committer, _, transaction in try committer.createZone(genesis, in: &transaction).notice }
        return ZoneID(genesis)
    }

    /// Hands a zone over to an account.
    func transfer(_ zone: ZoneID, to account: AccountID, keeping level: AccessLevel?) async throws {
        try await change { [node] committer, random, transaction in
            let terms = level.map { Capability.Terms(audience: node.identity.account, rights: Rights($0)) }
            return try committer.transfer(zone, to: account, keeping: terms, random: &random, in: &transaction)
        }
    }
}
