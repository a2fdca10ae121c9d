import FuzzKit
import Identity
import Records
import Sodium
import TestSupport
import Wire

/// The zone and the authors that write into it.
enum ReplicaWorld {
    static let genesis = ZoneGenesis(
        owner: AccountID(Digest32(word0: 9, word1: 9, word2: 9, word3: 9)),
        container: "org.example",
        name: "default",
        salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
        history: .full,
        isDefault: true
    )
    static let zone = ZoneID(genesis)
    static let tagKey = [UInt8](repeating: 0x5A, count: 32)
    static let authors = (0..<3).map { ReplicaAuthor($0) }
    /// The author of the replica's own writes.
    static let local = ReplicaAuthor(9)
    static let names = ["a", "b", "c"]
    static let tags: [RecordTag] = names.map { name in tag(name) }
    static let empty: MemoryReplica = {
        var replica = MemoryReplica()
        always("a zone") { _ = try replica.createZone(zone, genesis: genesis, tagKey: tagKey) }
        return replica
    }()

    static func tag(_ name: String) -> RecordTag {
        RecordTag(name: name, key: always("a key") { try SymmetricKey(bytes: tagKey, placement: .transient) })
    }
}

/// A device with a key, which signs all bytes that it is given.
final class ReplicaAuthor: Sendable {
    let key: SigningKey
    let author: Author

    init(_ number: Int) {
        key = always("a key") { try SigningKey(seed: [UInt8](repeating: UInt8(number + 1), count: 32)) }
        let device = DeviceID(key.publicKey)
        let incarnation = known("an incarnation", Incarnation([UInt8](repeating: 3, count: 16)))
        let actor = ActorID(device: device, incarnation: incarnation, right: .zero)
        author = Author(device: device, incarnation: incarnation, right: .zero, actor: actor)
    }

    func sign(_ headBytes: [UInt8]) -> Signature64 {
        Signature64(key.signature(over: headBytes, context: .treeHead))
    }

    func log(_ lane: Lane) -> LogKey {
        LogKey(zone: ReplicaWorld.zone, actor: author.actor, lane: lane)
    }
}

/// A log written without the replica, so that it can break rules.
struct HandMadeLog {
    let author: ReplicaAuthor
    let lane: Lane
    var operations: [Operation] = []

    var next: Dot { Dot(actor: author.author.actor, counter: UInt64(operations.count) + 1) }

    /// A signed run, with a head that is right for the items before both may be changed.
    func run(
        from: Int,
        to: Int,
        seen: VersionVector,
        changing items: (inout [LogItem]) -> Void,
        head change: (inout TreeHead) -> Void
    ) -> Run {
        var frontier = TreeFrontier()
        for operation in operations.prefix(from) { frontier.append(operation.header.leafHash) }
        var list: [LogItem] = operations[from..<to].map { .operation($0) }
        items(&list)
        for item in list {
            switch item {
            case .operation(let operation): frontier.append(operation.header.leafHash)
            case .gap(let gap): _ = frontier.append(subtree: gap.hash, level: gap.level)
            }
        }
        var head = TreeHead(
            zone: ReplicaWorld.zone,
            device: author.author.device,
            incarnation: author.author.incarnation,
            lane: lane,
            size: max(frontier.size, 1),
            root: frontier.root,
            right: .zero,
            seen: seen
        )
        change(&head)
        return Run(
            signedHead: SignedTreeHead(head, signature: author.sign(head.encoded)),
            from: UInt64(from),
            checkpoint: .zero,
            items: list
        )
    }
}
