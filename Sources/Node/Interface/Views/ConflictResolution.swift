package import Wire

/// The way to end a conflict.
package enum ConflictResolution: Sendable {
    /// With the values of one side.
    case take(version: String)
    /// With these fields, all others dropped.
    case fields([(name: String, value: FieldValue)])
}
