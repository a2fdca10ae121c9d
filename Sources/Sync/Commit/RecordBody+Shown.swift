import Records
package import Wire

extension RecordBody {
    /// Each field with the value that is shown.
    package var shownFields: [(name: String, value: FieldValue)] {
        fields.compactMap { field in field.winner.map { (field.name, $0.value) } }
    }
}
