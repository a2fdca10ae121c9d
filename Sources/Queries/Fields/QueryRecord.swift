package import Wire

/// A record as a query sees it: each field with the value that is shown.
package struct QueryRecord: Sendable {
    /// Its name.
    package var name: String
    /// Its type.
    package var type: String
    /// The device that created it.
    package var creator: DeviceID
    /// The device that wrote it last.
    package var modifier: DeviceID
    /// The time of the last write, in milliseconds since 1970.
    package var modifiedMilliseconds: UInt64
    /// The record that it belongs to.
    package var parent: String?
    /// The number of fields with concurrent values that disagree.
    package var conflicts: Int
    /// The values by the bytes of their fields' names.
    package var fields: [BytewiseString: FieldValue]

    /// Makes a record.
    package init(
        name: String,
        type: String,
        creator: DeviceID,
        modifier: DeviceID,
        modifiedMilliseconds: UInt64,
        parent: String?,
        conflicts: Int,
        fields: [BytewiseString: FieldValue]
    ) {
        self.name = name
        self.type = type
        self.creator = creator
        self.modifier = modifier
        self.modifiedMilliseconds = modifiedMilliseconds
        self.parent = parent
        self.conflicts = conflicts
        self.fields = fields
    }

    /// The value of a field; `nil` when there is none, or it is null.
    package subscript(_ field: QueryField) -> FieldValue? {
        switch field {
        case .field(let name):
            guard let value = fields[name] else { return nil }
            if case .null = value { return nil }
            return value
        case .system(.name): return .string(name)
        case .system(.creator): return .string(creator.text)
        case .system(.modifier): return .string(modifier.text)
        case .system(.modifiedAt): return .date(milliseconds: Int64(clamping: modifiedMilliseconds))
        case .system(.parent): return parent.map(FieldValue.string)
        case .system(.conflicts): return .int64(Int64(clamping: conflicts))
        }
    }
}
