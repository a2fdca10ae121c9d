/// One field that an answer is sorted by.
package struct SortField: Hashable, Sendable {
    /// The field to sort by.
    package var field: QueryField
    /// Whether the smallest comes first.
    ///
    /// Records without a value that can be sorted come last either way.
    package var isAscending: Bool

    /// Makes a sort field.
    package init(_ field: QueryField, isAscending: Bool = true) {
        self.field = field
        self.isAscending = isAscending
    }

    /// Reads a field's name, with `-` before it for the largest first.
    /// - Returns: `nil` when that is no field.
    package init?(text: String) {
        let isDescending = text.utf8.first == UInt8(ascii: "-")
        guard let field = QueryField(text: isDescending ? String(text.dropFirst()) : text) else { return nil }
        self.init(field, isAscending: !isDescending)
    }
}
