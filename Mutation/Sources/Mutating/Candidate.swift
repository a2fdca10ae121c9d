/// A change that can be made at one place of a file.
public struct Candidate: Equatable, Sendable {
    /// A part of the code that stands in place of the changed one.
    public enum Part: Equatable, Sendable {
        case text(String)
        /// The number by which the mutant is selected.
        case number
        /// A range of the file, with the other mutants that are inside.
        case source(Range<Int>)
    }

    /// The kind of the change.
    public let kind: MutationOperator
    /// The changed code, in bytes from the file's beginning.
    public let range: Range<Int>
    /// The code that stands in its place.
    public let parts: [Part]
    /// The code before and after the change, for people.
    public let before, after: String
}

extension Candidate {
    /// A condition whose value is negated while the mutant is active.
    static func flip(_ kind: MutationOperator, _ range: Range<Int>, before: String, after: String) -> Candidate {
        let parts: [Part] = [.text("kairanFlipped("), .number, .text(", "), .source(range), .text(")")]
        return Candidate(kind: kind, range: range, parts: parts, before: before, after: after)
    }

    /// An expression in place of another one.
    ///
    /// It is in parentheses, so that the operators around it do not matter.
    static func choice(
        _ kind: MutationOperator,
        _ range: Range<Int>,
        mutated: [Part],
        before: String,
        after: String
    ) -> Candidate {
        let parts: [Part] =
            [.text("(kairanMutant("), .number, .text(") ? ")] + mutated + [.text(" : "), .source(range), .text(")")]
        return Candidate(kind: kind, range: range, parts: parts, before: before, after: after)
    }

    /// `&&` and `||` by De Morgan's law, which needs each side once: a || b is !(!a && !b).
    static func exchange(
        _ left: Range<Int>,
        _ connective: String,
        _ right: Range<Int>,
        before: String,
        after: String
    ) -> Candidate {
        let flip: [Part] = [.text("kairanFlipped("), .number, .text(", ")]
        let parts: [Part] =
            flip + flip + [.source(left), .text(") \(connective) ")] + flip + [.source(right), .text("))")]
        let range = left.lowerBound..<right.upperBound
        return Candidate(kind: .connective, range: range, parts: parts, before: before, after: after)
    }

    /// A statement that is executed unless the mutant is active.
    static func drop(_ range: Range<Int>, before: String) -> Candidate {
        let parts: [Part] = [.text("if !kairanMutant("), .number, .text(") { "), .source(range), .text(" }")]
        return Candidate(kind: .statement, range: range, parts: parts, before: before, after: "")
    }
}
