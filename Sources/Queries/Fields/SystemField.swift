/// A field that every record has beside the fields set by its program.
package enum SystemField: String, Sendable, CaseIterable {
    /// The record's name.
    case name
    /// The id of the device that created it.
    case creator
    /// The id of the device that wrote it last.
    case modifier
    /// The time of the last write, by the writer's clock.
    case modifiedAt = "modified_at"
    /// The name of the record that it belongs to.
    case parent
    /// The number of fields with concurrent values that disagree.
    case conflicts
}
