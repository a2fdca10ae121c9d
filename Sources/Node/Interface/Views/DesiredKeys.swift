import Wire

/// The fields of a record that a program asks for; its name, type, version and authors are always returned.
package struct DesiredKeys: Sendable, Equatable {
    /// The most names.
    package static let countMax = Limits.fieldCountMax

    private let names: Set<BytewiseString>

    /// These fields; one that a record lacks is just not there.
    package init(_ names: some Sequence<String>) {
        self.names = Set(names.map { BytewiseString($0) })
    }

    /// Whether a field is wanted; names are compared by bytes.
    package func contains(_ name: String) -> Bool { names.contains(BytewiseString(name)) }
}

extension RecordView {
    /// The record with the wanted fields alone.
    /// - Parameter keys: The fields; `nil` for all.
    /// - Returns: The record; all but its fields is as it was.
    package func showing(only keys: DesiredKeys?) -> RecordView {
        guard let keys else { return self }
        var view = self
        view.fields = fields.filter { keys.contains($0.name) }
        return view
    }
}
