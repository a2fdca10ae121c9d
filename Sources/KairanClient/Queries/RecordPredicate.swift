/// The condition on the records of a query, in the grammar of `docs/api/queries.md`, with values inserted safely.
///
/// ```swift
/// let found = zone.query(Note.self, where: "title begins with \(typed) and (due < \(Date.now) or isDone = \(false))")
/// ```
///
/// An interpolated value stands for itself whatever it contains: text is quoted, and quotation marks in it are
/// escaped, so that a value from an untrusted source cannot change the query. Several values make the list of an
/// `in`, a predicate is put in parentheses, and `\(field: name)` is a field whose name is not known beforehand. A
/// string that already is a predicate, such as one that a person typed, is converted with ``init(text:)``.
public struct RecordPredicate: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    let content: PredicateText

    /// Takes a text as it stands.
    /// - Parameter text: A whole predicate; its source controls the query, so do not take it from an untrusted one.
    public init(text: String) {
        var content = PredicateText()
        content.append(grammar: text)
        self.content = content
    }

    /// Takes a literal as it stands.
    public init(stringLiteral value: String) { self.init(text: value) }

    /// Puts a literal with values in it together.
    public init(stringInterpolation: Interpolation) { content = stringInterpolation.content }

    /// The text as the daemon reads it.
    public var description: String { content.text }

    /// The text, if all of its values can be written.
    func checkedText() throws(KairanError) -> String {
        guard let misfit = content.misfit else { return content.text }
        throw KairanError(
            .misfit,
            code: "query.bad_predicate",
            title: "This is not a predicate",
            detail: "The predicate cannot be written: \(misfit).",
            fix: "/usr/share/doc/kairan/docs/api/queries.md has the grammar and its values."
        )
    }
}

extension RecordPredicate {
    /// A literal with values in it, while it is put together.
    public struct Interpolation: StringInterpolationProtocol {
        var content = PredicateText()

        /// Begins.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds the text of the literal itself.
        public mutating func appendLiteral(_ literal: String) { content.append(grammar: literal) }

        /// Takes a value; one of text may stand between quotation marks already.
        public mutating func appendInterpolation(_ value: some PredicateValue) {
            content.append(value.predicateValue)
        }

        /// Adds the raw value of an enumeration, because a field of that type holds the raw value.
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: PredicateValue {
            content.append(value.rawValue.predicateValue)
        }

        /// Takes the values of an `in`: 1...256.
        public mutating func appendInterpolation<Value: PredicateValue>(_ values: some Sequence<Value>) {
            content.append(values.map(\.predicateValue))
        }

        /// Takes a predicate as a part of this one.
        public mutating func appendInterpolation(_ predicate: RecordPredicate) {
            content.append(predicate.content)
        }

        /// Takes the name of a field.
        public mutating func appendInterpolation(field name: String) { content.append(field: name) }
    }
}
