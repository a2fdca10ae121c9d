package import Records
package import Wire

/// A record as computed by the reference model.
package struct ReferenceRecord: Equatable, Sendable {
    /// Its name.
    package var name: String
    /// Its type.
    package var type: String
    /// The record it belongs to.
    package var parent: String?
    /// The device that created it.
    package var creator: DeviceID
    /// The device that changed it last.
    package var modifier: DeviceID
    /// The write that created it.
    package var creation: Dot
    /// The version that a conditional write names.
    package var version: RecordVersion
    /// The surviving values of each field, ascending by dot.
    package var fields: [BytewiseString: [FieldEntry]]

    /// A record.
    /// - Parameters: as the properties of the same names.
    package init(
        name: String,
        type: String,
        parent: String?,
        creator: DeviceID,
        modifier: DeviceID,
        creation: Dot,
        version: RecordVersion,
        fields: [BytewiseString: [FieldEntry]]
    ) {
        self.name = name
        self.type = type
        self.parent = parent
        self.creator = creator
        self.modifier = modifier
        self.creation = creation
        self.version = version
        self.fields = fields
    }

    /// Creates the record that a stored row shows; `nil` for a deleted record.
    /// - Parameter row: The row.
    /// - Throws: `ReplicaError` when the row's body cannot be read.
    package init?(_ row: RecordRow) throws(ReplicaError) {
        let body = try row.content()
        guard !row.isDeleted else { return nil }
        self.init(
            name: body.name,
            type: body.type,
            parent: body.parent,
            creator: body.creator,
            modifier: body.modifier,
            creation: row.creation,
            version: row.version,
            fields: Dictionary(
                body.fields.map { (BytewiseString($0.name), $0.entries) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }
}

extension ReferenceRecord: CustomStringConvertible {
    /// Name, version and values in one line.
    package var description: String {
        let shown = fields.sorted { $0.key < $1.key }.map { name, entries in
            let values = entries.map { "\($0.dot)=\($0.value)" }.joined(separator: " | ")
            return "\(name.string): \(values)"
        }
        return "\(name) v\(version) by \(modifier.shortText) {\(shown.joined(separator: "; "))}"
    }
}
