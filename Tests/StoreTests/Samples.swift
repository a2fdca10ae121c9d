import Records
import TestSupport
import Wire

/// Rows that look like real ones and are reproducible from a seed; nothing in them is signed or hashed for real.
struct Samples {
    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func identifier<Kind: IdentifierKind>(_: Kind.Type = Kind.self) -> Identifier<Kind> {
        Identifier(
            Digest32(
                word0: generator.next(),
                word1: generator.next(),
                word2: generator.next(),
                word3: generator.next()
            )
        )
    }

    mutating func zone() -> ZoneRow {
        let genesis = ZoneGenesis(
            owner: identifier(),
            container: "org.example.notes",
            name: "default",
            salt: generator.bytes(32),
            history: .full,
            isDefault: true
        )
        return ZoneRow(id: identifier(), genesis: genesis, tagKey: generator.bytes(32))
    }

    mutating func log(zone: ZoneID, lane: Lane = .data) -> LogRow {
        LogRow(
            key: LogKey(zone: zone, actor: identifier(), lane: lane),
            device: identifier(),
            incarnation: Incarnation(using: &generator),
            right: generator.next() % 2 == 0 ? .zero : identifier(),
            role: generator.next() % 2 == 0 ? .owner : .unknown
        )
    }

    /// The next operation of a log on a record.
    mutating func operation(
        _ log: LogRow,
        counter: UInt64,
        tag: RecordTag,
        vector: VersionVector = VersionVector(),
        body: [UInt8],
        state: OperationState = .live,
        isTombstone: Bool = false
    ) -> StoredOperation {
        let dot = Dot(actor: log.key.actor, counter: counter)
        let header = OperationHeader(
            counter: counter,
            tag: tag,
            vector: vector.merged(with: VersionVector(covering: [dot])),
            creation: dot,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(raw: generator.next() >> 1),
            batch: .single,
            bodyHash: Operation.bodyHash(body)
        )
        return StoredOperation(
            actor: log.key.actor,
            operation: Operation(header: header, body: body),
            state: state,
            isTombstone: isTombstone
        )
    }

    /// A head over the log as its row says.
    mutating func head(_ log: LogRow) -> HeadRow {
        let head = TreeHead(
            zone: log.key.zone,
            device: log.device,
            incarnation: log.incarnation,
            lane: log.key.lane,
            size: log.size,
            root: log.frontier.root,
            right: .zero,
            seen: VersionVector()
        )
        let signature = Signature64(generator.bytes(64)) ?? .sample
        return HeadRow(
            signed: SignedTreeHead(head, signature: signature),
            byteCount: log.byteCount,
            frontier: log.frontier
        )
    }

    /// The record that one operation shows.
    func record(_ stored: StoredOperation, zone: ZoneID, name: String, type: String = "note") -> RecordRow {
        let header = stored.operation.header
        return RecordRow(
            zone: zone,
            tag: header.tag,
            name: name,
            type: type,
            isDeleted: stored.isTombstone,
            version: RecordVersion(header.vector),
            vector: header.vector,
            context: header.vector,
            live: [stored.dot],
            creation: header.creation,
            time: header.time,
            body: stored.operation.body
        )
    }

    /// A body with one field of random bytes.
    mutating func body(name: String, byteCount: Int, values: Int = 1, isDeleted: Bool = false) -> [UInt8] {
        var entries: [FieldEntry] = []
        for _ in 0..<values {
            let dot = Dot(actor: identifier(), counter: 1)
            entries.append(FieldEntry(dot: dot, time: .zero, value: .bytes(generator.bytes(byteCount))))
        }
        return RecordBody(
            name: name,
            type: "note",
            isDeleted: isDeleted,
            parent: nil,
            creator: .zero,
            modifier: .zero,
            fields: isDeleted ? [] : [RecordField(name: "text", entries: entries.inWireOrder())],
            unknownExtension: []
        ).encoded
    }
}

extension Signature64 {
    /// 64 zero bytes.
    static var sample: Signature64 {
        var zeros = WireReader([UInt8](repeating: 0, count: 64))
        guard let signature = try? Signature64(from: &zeros) else {
            preconditionFailure("64 bytes are a signature")
        }
        return signature
    }
}

/// One log that grows, with the rows that a replica stores for each stretch of it.
struct SampleWriter {
    var samples: Samples
    var log: LogRow
    private var nameCount = 0

    init(samples: Samples, log: LogRow) {
        self.samples = samples
        self.log = log
    }

    /// The rows that one run brings.
    struct Stretch: Sendable {
        var items: [StoredItem]
        var records: [RecordRow]
        var log: LogRow
        var head: HeadRow
    }

    /// The next operations, each of a new record.
    mutating func stretch(count: Int, bodyByteCount: Int) -> Stretch {
        var items: [StoredItem] = []
        var records: [RecordRow] = []
        for _ in 0..<count {
            let body = samples.generator.bytes(bodyByteCount)
            let stored = samples.operation(log, counter: log.size + 1, tag: samples.identifier(), body: body)
            nameCount += 1
            let name = "record-\(samples.generator.next() % 1_000_000_000)-\(nameCount)"
            items.append(StoredItem(first: log.size, content: .operation(stored)))
            records.append(samples.record(stored, zone: log.key.zone, name: name))
            log.frontier.append(samples.identifier())
            log.size += 1
            log.byteCount += UInt64(bodyByteCount)
        }
        log.appliedSize = log.size
        return Stretch(items: items, records: records, log: log, head: samples.head(log))
    }
}
