import Records
import Sync
import Wire

extension RecordView {
    /// Makes the view of a row for programs: for each field the value that is shown.
    /// - Throws: `ReplicaError.damaged`.
    init(_ row: RecordRow) throws {
        let body = try row.content()
        self.init(
            zone: row.zone,
            name: row.name,
            type: row.type,
            fields: body.shownFields,
            version: row.version.text,
            isDeleted: row.isDeleted,
            createdBy: body.creator,
            modifiedBy: body.modifier,
            modifiedMilliseconds: row.time.milliseconds,
            conflicts: body.conflictFields.count,
            parent: body.parent
        )
    }
}

extension RecordRow {
    /// Finds a record that programs can read.
    /// - Throws: `NodeError` `recordUnknown`, `recordDeleted`, `recordNotReadable`.
    static func shown(_ name: String, zone: ZoneID, in transaction: any NodeTransaction) throws -> RecordRow {
        let tag = try RecordTag(of: name, zone: zone, in: transaction)
        guard let row = try transaction.record(zone: zone, tag: tag) else {
            throw NodeError(
                .recordUnknown,
                "The zone has no record \"\(name)\".",
                fix: "`kairan ls` lists the records."
            )
        }
        // A program that learns of the deletion drops its copy of the record.
        guard !row.isDeleted || !row.isLocked else {
            throw NodeError(
                .recordNotReadable,
                "\"\(name)\" is sealed under a key which this device does not have.",
                fix: "Let this device meet the zone's other devices; a device that joined later may never read it."
            )
        }
        guard !row.isDeleted else {
            throw NodeError(
                .recordDeleted,
                "\"\(name)\" was deleted.",
                fix: "Drop your copy of it; a write makes a new record of this name.",
                evidence: .deletion(try RecordView(row))
            )
        }
        return row
    }
}

extension Dot {
    /// The name of one side of a conflict for people: the actor's first characters and the counter.
    var siblingText: String { "\(actor.text)-\(counter)" }
}
