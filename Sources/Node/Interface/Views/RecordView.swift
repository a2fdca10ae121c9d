package import Wire

/// A record as a program sees it.
package struct RecordView: Sendable {
    /// Its zone.
    package var zone: ZoneID
    /// Its name.
    package var name: String
    /// Its type.
    package var type: String
    /// Its fields by name, ascending.
    package var fields: [(name: String, value: FieldValue)]
    /// Names this state; changes with every change.
    package var version: String
    /// Whether it is deleted (only in feeds and in answers to deletions).
    package var isDeleted: Bool
    /// The device that created it.
    package var createdBy: DeviceID
    /// The device that wrote it last.
    package var modifiedBy: DeviceID
    /// The time of the last write, in milliseconds since 1970 by the writer's clock.
    package var modifiedMilliseconds: UInt64
    /// The number of fields whose concurrent values disagree.
    package var conflicts: Int
    /// The name of the record that it belongs to, if it names one.
    package var parent: String?

    /// Makes a view.
    package init(
        zone: ZoneID,
        name: String,
        type: String,
        fields: [(name: String, value: FieldValue)],
        version: String,
        isDeleted: Bool,
        createdBy: DeviceID,
        modifiedBy: DeviceID,
        modifiedMilliseconds: UInt64,
        conflicts: Int,
        parent: String? = nil
    ) {
        self.zone = zone
        self.name = name
        self.type = type
        self.fields = fields
        self.version = version
        self.isDeleted = isDeleted
        self.createdBy = createdBy
        self.modifiedBy = modifiedBy
        self.modifiedMilliseconds = modifiedMilliseconds
        self.conflicts = conflicts
        self.parent = parent
    }
}
