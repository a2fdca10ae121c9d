import Identity
import Sodium
import TestSupport
import Testing
import Wire

@testable import Records
@testable import Sync

extension Neighbours {
    /// A signature that no reader checks, since no other device has a part in the record.
    static let unchecked = FieldValue.bytes([UInt8](repeating: 0, count: Signature64.byteCount))

    /// Returns a record as a device has it.
    func record(_ name: String, on index: Int, zone: ZoneID) throws -> RecordRow {
        let store = homes[index].store
        return try #require(try store.record(zone: zone, tag: RecordTag(of: name, zone: zone, in: store)))
    }

    /// States a record with values under the dot of another write, as a daemon can that keeps no rules.
    ///
    /// The other fields of the record stay as they are, with their dots.
    mutating func forge(
        _ name: String,
        _ values: [String: FieldValue],
        type: String = ReservedType.message,
        under dot: Dot,
        madeBy creation: Dot? = nil,
        on index: Int,
        zone: ZoneID
    ) throws {
        try change(index) { committer, _, store in
            var opened: [RecordRow] = []
            let author = try EpochKeys(committer).prepareAuthor(in: zone, noting: &opened, &store)
            let logs = try ZoneLogs(zone: store.knownZone(zone), in: store)
            var log = try OwnLog(author, .data, logs: logs, in: store)
            var workspace = RecordWorkspace(logs)
            let tag = try RecordTag(of: name, zone: zone, in: store)
            try workspace.load([tag], in: store)
            let before = workspace.row(tag)
            let own = log.dot()
            let creation = creation ?? before?.creation ?? dot
            var vector = before?.context ?? VersionVector()
            for seen in [dot, creation, own] { vector.merge(seen) }
            let time = HybridTime(milliseconds: committer.wallMilliseconds)
            var fields = try before?.content().fields.filter { values[$0.name] == nil } ?? []
            for (name, value) in values {
                fields.append(RecordField(name: name, entries: [FieldEntry(dot: dot, time: time, value: value)]))
            }
            let body = RecordBody(
                name: name,
                type: type,
                isDeleted: false,
                parent: nil,
                creator: committer.device,
                modifier: committer.device,
                fields: fields
            )
            let header = OperationHeader(
                counter: own.counter,
                tag: tag,
                vector: vector,
                creation: creation,
                controlHeads: .zero,
                epoch: .zero,
                time: time,
                batch: .single,
                bodyHash: .zero
            )
            let bytes = body.encoded
            let operation = author.operation(header, body: bytes, isTombstone: false)
            workspace.apply(operation, OpenedBody(body, bytes: bytes), actor: author.actor)
            try log.add([(operation, false)])
            try workspace.mergeAll(in: store)
            try store.setStates(workspace.changesOfStored(lane: .data))
            try log.finish(
                state: { workspace.state(of: $0) },
                sign: { committer.keys.sign($0, context: .treeHead) },
                in: &store
            )
            _ = try workspace.save(bySync: false, in: &store)
        }
    }
}
