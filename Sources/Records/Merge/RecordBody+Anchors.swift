package import Wire

extension RecordBody {
    /// The names of the records with which this one is deleted, ascending, each once.
    ///
    /// A field whose values disagree anchors nothing: a deletion must not choose between the authors of the values.
    /// - Complexity: O(fields).
    package var anchors: [String] {
        guard !isDeleted else { return [] }
        var names: Set<BytewiseString> = []
        for field in fields {
            guard case .anchor(let record) = field.winner?.value, !field.hasConflict else { continue }
            names.insert(BytewiseString(record))
        }
        return names.isEmpty ? [] : names.sorted().map(\.string)
    }
}

extension RecordRow {
    /// Whether the record is deleted with the one of a name.
    func isAnchored(to name: String) -> Bool { anchors.contains { $0.isBytewiseEqual(to: name) } }
}
