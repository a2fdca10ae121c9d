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

extension Dot {
    /// The name of one side of a conflict for people: the actor's first characters and the counter.
    var siblingText: String { "\(actor.text)-\(counter)" }
}
