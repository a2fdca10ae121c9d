package import Wire

/// One side of a conflict.
package struct SiblingView: Sendable {
    /// The version of the side, for `resolve --take`.
    package var version: String
    /// The device that wrote it.
    package var by: DeviceID
    /// Its fields.
    package var fields: [(name: String, value: FieldValue)]

    /// Makes a side.
    package init(version: String, by: DeviceID, fields: [(name: String, value: FieldValue)]) {
        self.version = version
        self.by = by
        self.fields = fields
    }
}
