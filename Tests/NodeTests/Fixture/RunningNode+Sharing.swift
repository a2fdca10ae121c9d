import KairanInterface
import Capabilities
import Identity
import Records
import Sodium
import Sync
import Wire

@testable import Node

// Actions that no program can request, or not yet.
extension RunningNode {
    /// Opens an invitation, an offer, or a public zone.
    ///
    /// It waits longer than programs do: the speed of a busy machine must not decide the result of a test.
    @discardableResult
    func join(_ link: String, keyMilliseconds: UInt64 = 240_000) async throws -> JoinStatus {
        let requests = JoiningRequests(
            store: node.store,
            sync: node.sync,
            answerMilliseconds: 240_000,
            keyMilliseconds: keyMilliseconds
        )
        return try await requests.join(link: link)
    }

    /// Runs a change of the store as the node's own services do.
    func change(
        _ body: @escaping @Sendable (Committer, inout SystemRandom, inout any NodeTransaction) throws -> CommitNotice
    ) async throws {
        _ = try await node.store.commits.perform { [node] transaction in
            try node.commitService.change(&transaction, body)
        } whenDurable: { [node] in
            node.commitService.announce($0)
        }
    }

    /// Makes a zone that belongs to the node itself.
    func makeInternalZone() async throws -> ZoneID {
        let genesis = ZoneGenesis(
            owner: node.identity.account,
            container: "kairan.account",
            name: "book",
            salt: Array(repeating: 9, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: true
        )
        try await change { committer, _, transaction in
            try ZoneLifecycle(committer).create(genesis, in: &transaction).notice
        }
        return ZoneID(genesis)
    }

    /// Commits control operations in a zone without checking whether they are allowed, as a modified program would.
    func say(_ bodies: [ControlBody], in zone: ZoneID, isBounded: Bool = true) async throws {
        try await change { committer, _, transaction in
            let author = try committer.author(in: zone, transaction)
            let key = LogKey(zone: zone, actor: author.actor, lane: .control)
            let before = try transaction.log(key)?.size ?? 0
            for body in bodies {
                try LocalWrites(
                    zone: zone,
                    author: author,
                    wallMilliseconds: committer.wallMilliseconds,
                    sign: { committer.keys.sign($0, context: .treeHead) }
                ).commitControl(body, isBounded: isBounded, in: &transaction)
            }
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            guard let row = try transaction.zone(zone) else { return notice }
            let snapshot = try ZoneViews(committer).snapshot(of: row, in: transaction)
            let change = PeerNotice.ZoneChange(snapshot: snapshot, before: [key: before])
            notice.note(PeerNotice(of: committer.account.account, zones: [change]))
            return notice
        }
    }

    /// Returns grants of capabilities whose signatures are those of others.
    func forgedGrants(_ count: Int, in zone: ZoneID) throws -> [ControlBody] {
        var random = SystemRandom()
        let keys = node.deviceKeys
        let terms = Capability.Terms(audience: node.identity.account, rights: Rights(.admin))
        let issued = try (0...count).map { _ in
            try Capability.issue(
                terms,
                resource: .zone(zone),
                owner: node.identity.account,
                signer: keys.deviceID,
                using: &random,
                sign: keys.sign
            )
        }
        return zip(issued, issued.dropFirst()).map { one, other in
            .grant(Grant(SignedCapability(one.capability, signature: other.signature)))
        }
    }
}
