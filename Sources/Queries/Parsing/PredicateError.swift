/// Why a text is no predicate.
package struct PredicateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, in UTF-8 bytes from the beginning.
    package var offset: Int
    /// Where, in characters (Unicode scalars), the first being 1.
    package var column: Int
    /// What stands there.
    package var found: String
    /// What could have stood there.
    package var expected: String

    /// One sentence without its full stop.
    package var description: String { "column \(column): \(found), where \(expected) was expected" }
}
