/// The reason why a text is no predicate.
package struct PredicateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position, in UTF-8 bytes from the beginning.
    package var offset: Int
    /// The position, in characters (Unicode scalars), the first being 1.
    package var column: Int
    /// The text found at the position.
    package var found: String
    /// The expected text.
    package var expected: String

    /// One sentence without its full stop.
    package var description: String { "column \(column): \(found), where \(expected) was expected" }
}
