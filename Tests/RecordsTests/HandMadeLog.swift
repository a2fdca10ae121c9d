import Records
import ReplicaBehaviour
import Sodium
import Wire

/// A log written without the replica, so that it can break the rules.
struct HandMadeLog {
    let author: TestAuthor
    var lane = Lane.data
    private(set) var operations: [Operation] = []

    init(_ author: TestAuthor, lane: Lane = .data) {
        self.author = author
        self.lane = lane
    }

    var actor: ActorID { author.author.actor }
    var device: DeviceID { author.author.device }

    /// The dot of the next operation.
    var next: Dot { Dot(actor: actor, counter: UInt64(operations.count) + 1) }

    /// A body of a record with fields written by the next operation.
    func body(
        _ name: String,
        _ fields: [String: FieldValue] = [:],
        deleted: Bool = false,
        time: UInt64 = 5
    ) -> RecordBody {
        RecordBody(
            name: name,
            type: "note",
            isDeleted: deleted,
            parent: nil,
            creator: device,
            modifier: device,
            fields: fields.map { name, value in
                RecordField(name: name, entries: [FieldEntry(dot: next, time: HybridTime(raw: time), value: value)])
            }
        )
    }

    /// Appends an operation on a record.
    mutating func append(
        _ body: RecordBody,
        vector: VersionVector = [:],
        creation: Dot? = nil,
        batch: BatchPlace = .single,
        time: UInt64 = 5,
        change: (inout OperationHeader) -> Void = { _ in }
    ) throws {
        let tag = RecordTag(name: body.name, key: try SymmetricKey(bytes: TestZone.tagKey))
        append(body.encoded, tag: tag, vector: vector, creation: creation, batch: batch, time: time, change: change)
    }

    /// Appends an operation with any body.
    mutating func append(
        _ bytes: [UInt8],
        tag: RecordTag,
        vector: VersionVector = [:],
        creation: Dot? = nil,
        batch: BatchPlace = .single,
        time: UInt64 = 5,
        change: (inout OperationHeader) -> Void = { _ in }
    ) {
        var vector = vector
        vector.merge(next)
        var header = OperationHeader(
            counter: next.counter,
            tag: tag,
            vector: vector,
            creation: creation ?? next,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(raw: time),
            batch: batch,
            bodyHash: Operation.bodyHash(bytes)
        )
        change(&header)
        operations.append(Operation(header: header, body: bytes))
    }

    /// Appends an operation that was made elsewhere.
    mutating func append(_ operation: Operation) {
        operations.append(operation)
    }

    /// A signed run over all operations.
    func run(from: Int = 0, seen: VersionVector = [:], change: (inout TreeHead) -> Void = { _ in }) -> Run {
        var frontier = TreeFrontier()
        for operation in operations {
            frontier.append(operation.header.leafHash)
        }
        var head = TreeHead(
            zone: TestZone.id,
            device: device,
            incarnation: author.author.incarnation,
            lane: lane,
            size: frontier.size,
            root: frontier.root,
            right: .zero,
            seen: seen
        )
        change(&head)
        return Run(
            signedHead: SignedTreeHead(head, signature: author.sign(head.encoded)),
            from: UInt64(from),
            checkpoint: .zero,
            items: operations.dropFirst(from).map { .operation($0) }
        )
    }
}
