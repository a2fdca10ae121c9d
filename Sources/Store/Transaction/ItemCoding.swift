import Records
import Sync
import Wire

/// The values of the `state` column beyond the states of an operation, which are 0 to 3 and 6; 4 is unused (decision
/// 59).
enum ItemState {
    /// A gap.
    static let gap: Int64 = 5
}

/// The columns of one row of `item`, as the statements below select them.
struct ItemColumns {
    var first: UInt64
    var state: Int64
    var isTombstone: Bool
    var detail: [UInt8]
    var body: [UInt8]
    /// The record tag; `nil` for the control lane and for gaps.
    var tag: RecordTag?

    /// Reads `first, state, tombstone, detail, body, tag` from the columns 0 to 5.
    init(_ row: ResultRow) throws {
        first = try row.unsigned(0)
        state = row.integer(1)
        isTombstone = row.integer(2) != 0
        detail = row.bytes(3)
        body = row.bytes(4)
        tag = row.isNull(5) ? nil : RecordTag(try row.digest(5))
    }
}

/// Between `StoredItem` and the columns of its row.
///
/// The detail of an operation:
/// ```
/// [tag 32, control lane only] bodyHash 32 | time 8 | creation dot | control heads | epoch | batch | vector
/// ```
/// Dots, vectors, control heads and epoch with interned identifiers, numbers as varints. A gap is in its wire form.
extension SQLiteTransaction {
    /// The detail of an operation.
    func detail(_ header: OperationHeader, lane: Lane) throws -> [UInt8] {
        var writer = WireWriter(capacity: 96)
        if lane == .control { writer.write(header.tag) }
        writer.write(header.bodyHash)
        writer.writeUInt64(header.time.raw)
        try encode(header.creation, into: &writer)
        try encode(header.controlHeads.digest, into: &writer)
        try encode(header.epoch.digest, into: &writer)
        writer.write(header.batch)
        try encode(header.vector, into: &writer)
        return writer.bytes
    }

    /// Puts an item together again.
    /// - Parameters:
    ///   - columns: Its row.
    ///   - actor: The log's actor.
    /// - Returns: An item equal to the one that was stored.
    /// - Throws: `.corrupt` when the row is damaged.
    func item(_ columns: ItemColumns, actor: ActorID) throws -> StoredItem {
        switch columns.state {
        case ItemState.gap:
            let gap = try decoding("gap") { () throws(WireError) in try SubtreeGap(decoding: columns.detail) }
            return StoredItem(first: columns.first, content: .gap(gap))
        default:
            return StoredItem(first: columns.first, content: .operation(try operation(columns, actor: actor)))
        }
    }

    /// Puts an operation together again.
    /// - Throws: `.corrupt` when the row is damaged, the body included: it may be merged into the next signed
    ///   operation.
    /// - Complexity: O(bytes), one hash.
    func operation(_ columns: ItemColumns, actor: ActorID) throws -> StoredOperation {
        let header = try header(columns)
        guard Operation.bodyHash(columns.body) == header.bodyHash else {
            throw StorageError(code: .corrupt, message: "the body of an operation is damaged")
        }
        return StoredOperation(
            actor: actor,
            operation: Operation(header: header, body: columns.body),
            state: try state(columns),
            isTombstone: columns.isTombstone
        )
    }

    /// An operation without its body.
    func summary(_ columns: ItemColumns, actor: ActorID) throws -> OperationSummary {
        guard let tag = columns.tag else { throw StorageError(code: .corrupt, message: "an item has lost its tag") }
        let dot = Dot(actor: actor, counter: columns.first &+ 1)
        return OperationSummary(
            tag: tag,
            dot: dot,
            vector: try header(columns).vector,
            state: try state(columns),
            isTombstone: columns.isTombstone
        )
    }

    private func state(_ columns: ItemColumns) throws -> OperationState {
        guard let raw = UInt8(exactly: columns.state), let state = OperationState(rawValue: raw) else {
            throw StorageError(code: .corrupt, message: "an item has the impossible state \(columns.state)")
        }
        return state
    }

    private func header(_ columns: ItemColumns) throws -> OperationHeader {
        var reader = WireReader(columns.detail)
        let tag = try tag(columns, from: &reader)
        let (bodyHash, time) = try decoding("header") { () throws(WireError) in
            (Hash(try reader.readDigest()), HybridTime(raw: try reader.readUInt64()))
        }
        let creation = try decodeDot(from: &reader)
        let controlHeads = Hash(try decodeDigest(from: &reader))
        let epoch = Hash(try decodeDigest(from: &reader))
        let batch = try decodeBatch(from: &reader)
        return OperationHeader(
            counter: columns.first &+ 1,
            tag: tag,
            vector: try decodeVector(from: &reader),
            creation: creation,
            controlHeads: controlHeads,
            epoch: epoch,
            time: time,
            batch: batch,
            bodyHash: bodyHash
        )
    }

    private func tag(_ columns: ItemColumns, from reader: inout WireReader) throws -> RecordTag {
        if let tag = columns.tag { return tag }
        return try decoding("tag") { () throws(WireError) in RecordTag(try reader.readDigest()) }
    }

    private func decodeBatch(from reader: inout WireReader) throws -> BatchPlace {
        try decoding("batch") { () throws(WireError) in try BatchPlace(from: &reader) }
    }
}
