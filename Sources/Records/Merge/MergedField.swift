package import Wire

/// A field after the merge.
package struct MergedField: Equatable, Sendable {
    /// The field's name.
    package var name: String
    /// The values that survive, ascending by dot; one unless concurrent writes are unresolved.
    package var entries: [FieldEntry]
    /// The value that is shown.
    package var winner: FieldEntry
    /// True when several counters or sets became one value that no single write states.
    ///
    /// A write that carries the field on has to state it under its own dot.
    package var isFolded: Bool

    /// The field as a body writes it.
    package var recordField: RecordField { RecordField(name: name, entries: entries) }
}
