package import Wire

/// The combined state of a record's live operations.
package struct MergedRecord: Equatable, Sendable {
    /// The record's name.
    package var name: String
    /// The record's type.
    package var type: String
    /// True when every live operation deletes the record.
    package var isDeleted: Bool
    /// The name of the record this one belongs to.
    package var parent: String?
    /// The device that created the record.
    package var creator: DeviceID
    /// The device that made the latest write.
    package var modifier: DeviceID
    /// The fields, ascending by name.
    package var fields: [MergedField]
    /// Bytes that a later version of the format added to the latest write.
    package var unknownExtension: [UInt8]
    /// The joined vector of the operations that take part: all that do not delete, or all when all do.
    package var vector: VersionVector
    /// The joined vector of every sibling: the seen vector of a write on top of them.
    package var seen: VersionVector
    /// The write that created the record.
    package var creation: Dot
    /// The latest clock among the operations that take part.
    package var time: HybridTime
    /// Every sibling's dot, ascending.
    package var live: [Dot]

    /// The version a conditional write must name.
    /// - Complexity: O(vector).
    package var version: RecordVersion { RecordVersion(vector) }

    /// The fields whose surviving values differ, ascending.
    package var conflictFields: [String] {
        fields.filter { $0.entries.hasConflict }.map(\.name)
    }

    /// The state as a body.
    ///
    /// Siblings are bounded one by one, their merge is not. A merge that is larger than a body may be is shown by its
    /// winning values alone, in the order of their names as far as there is room; the siblings themselves stay whole.
    /// - Complexity: O(size).
    package var body: RecordBody {
        let whole = body(of: fields)
        if live.count < 2 || whole.isReadable { return whole }
        var shown: [MergedField] = []
        var room = Limits.bodyByteCountMax - body(of: []).encoded.count - MergedRecord.countByteCountMax
        for field in fields where shown.count < Limits.fieldCountMax {
            let single = MergedField(
                name: field.name,
                entries: [field.winner],
                winner: field.winner,
                isFolded: field.isFolded
            )
            let byteCount = single.recordField.encoded.count
            guard byteCount <= room, single.recordField.isReadable else { continue }
            room -= byteCount
            shown.append(single)
        }
        return body(of: shown)
    }

    /// Whether the state is that of another merge, with all values of all fields: also with those for which there is no room in
    /// the body.
    func states(_ other: MergedRecord) -> Bool { body(of: fields) == other.body(of: other.fields) }

    /// The additional bytes that a larger number of fields can need for the encoded field count.
    private static let countByteCountMax = 2

    private func body(of fields: [MergedField]) -> RecordBody {
        RecordBody(
            name: name,
            type: type,
            isDeleted: isDeleted,
            parent: parent,
            creator: creator,
            modifier: modifier,
            fields: fields.map(\.recordField),
            unknownExtension: unknownExtension
        )
    }
}

extension MergedRecord: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(seen.covers(vector), "the author of a write on top has seen all that takes part")
        try mustHold(live.allSatisfy { seen.covers($0) }, "the author of a write on top has seen every sibling")
        try mustHold(vector.covers(creation), "the creation is among the operations that take part")
        try mustHold(!isDeleted || fields.isEmpty, "a deleted record has no fields")
    }

    package func checkCostlyRules() throws(BrokenRule) {
        try mustHold(
            zip(fields, fields.dropFirst()).allSatisfy { $0.name.isBytewiseLess(than: $1.name) },
            "fields are ascending by name, each once"
        )
        try mustHold(
            fields.allSatisfy { $0.entries.contains($0.winner) },
            "the shown value of a field is among its values"
        )
        try mustHold(
            fields.allSatisfy { $0.entries.count <= Limits.fieldEntryCountMax },
            "no field has more values than a body may hold"
        )
        try mustHold(
            fields.allSatisfy { field in !field.entries.contains { field.winner.isShown(before: $0) } },
            "no value of a field is greater than the shown one"
        )
    }
}

extension WireCodable {
    /// Whether a decoder accepts the encoding.
    ///
    /// Why it would not does not matter: there is always something smaller to show.
    fileprivate var isReadable: Bool {
        (try? checkedEncoding()) != nil
    }
}
