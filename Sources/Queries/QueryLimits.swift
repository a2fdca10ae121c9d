/// Every size that a query is held to, with its reason.
package enum QueryLimits {
    /// UTF-8 bytes of a predicate's text: far more than a person types, little enough to be read at once.
    package static let textByteCountMax = 16_384
    /// Parentheses and `not` inside each other; recursion stays far from any stack limit.
    package static let depthMax = 32
    /// Tests in one predicate, which bound the cost of one record.
    package static let termCountMax = 256
    /// Values of one `in (…)`.
    package static let listCountMax = 256
    /// Words of one full-text pattern.
    package static let wordCountMax = 32
    /// Fields that a query sorts by.
    package static let sortCountMax = 4
    /// Records in one page.
    package static let pageCountMax = 1_000
    /// The maximum number of records examined for one page, if they are found in the order of the answer; a cursor
    /// then says where to go on.
    package static let lookCountMax = 20_000
    /// The bytes of a string that determine its place in a sorted answer, and in an index.
    ///
    /// Longer strings that begin alike come in the order of their records' names. It bounds cursors and indexes.
    package static let sortedByteCountMax = 256
    /// Characters of a cursor: four sorted values and a name, in hexadecimal digits.
    package static let cursorCharacterCountMax = 4_096
}
