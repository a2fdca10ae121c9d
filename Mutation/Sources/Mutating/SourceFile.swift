import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A Swift file whose code can be changed.
public struct SourceFile {
    /// All changes that can be made, by their places; of changes at one place the outer ones come first.
    public let candidates: [Candidate]
    private let text: [UInt8]
    /// The place in front of the first import, or of the first statement.
    private let importOffset: Int
    /// The offsets at which lines begin.
    private let lineStarts: [Int]

    /// Parses a file.
    public init(_ source: String) {
        let text = Array(source.utf8)
        self.text = text
        lineStarts = [0] + text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        let parsed = Parser.parse(source: source)
        // An operator that is not in the table leaves its sequence as it is, in which nothing is changed then.
        let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
        let finder = CandidateFinder(text: text)
        finder.walk(folded)
        candidates = finder.candidates.sorted(by: Self.precedes)
        let statements = parsed.statements
        let first = statements.first { $0.item.is(ImportDeclSyntax.self) } ?? statements.first
        importOffset = first?.positionAfterSkippingLeadingTrivia.utf8Offset ?? text.count
    }

    /// The number of lines.
    public var lineCount: Int { text.last == UInt8(ascii: "\n") ? lineStarts.count - 1 : lineStarts.count }

    /// The line and the column of an offset, from 1.
    public func place(of offset: Int) -> (line: Int, column: Int) {
        let line = (lineStarts.firstIndex { $0 > offset } ?? lineStarts.count) - 1
        return (line + 1, offset - lineStarts[line] + 1)
    }

    private static func precedes(_ one: Candidate, _ other: Candidate) -> Bool {
        if one.range.lowerBound != other.range.lowerBound { return one.range.lowerBound < other.range.lowerBound }
        if one.range.upperBound != other.range.upperBound { return one.range.upperBound > other.range.upperBound }
        // A statement contains its expression, and a condition its comparison.
        let order: [MutationOperator] = [.statement, .condition, .connective, .comparison, .number]
        let places = [one, other].map { order.firstIndex(of: $0.kind) ?? 0 }
        return places[0] == places[1] ? one.after < other.after : places[0] < places[1]
    }

    /// The file with mutants that are selected by their numbers.
    ///
    /// Each line stays where it is.
    public func instrumented(with mutants: [(number: Int, candidate: Candidate)]) -> String {
        guard !mutants.isEmpty else { return String(decoding: text, as: UTF8.self) }
        let sorted = mutants.sorted { Self.precedes($0.candidate, $1.candidate) }
        let head = String(decoding: text[..<importOffset], as: UTF8.self)
        return head + "import MutationSwitch; " + render(importOffset..<text.count, sorted[...])
    }

    private func render(_ range: Range<Int>, _ mutants: ArraySlice<(number: Int, candidate: Candidate)>) -> String {
        var rendered = ""
        var position = range.lowerBound
        var rest = mutants.filter { $0.candidate.range.isWithin(range) }[...]
        while let (number, candidate) = rest.popFirst() {
            rendered += String(decoding: text[position..<candidate.range.lowerBound], as: UTF8.self)
            let inner = rest.prefix { $0.candidate.range.isWithin(candidate.range) }
            rest = rest.dropFirst(inner.count)
            for part in candidate.parts {
                switch part {
                case .text(let text): rendered += text
                case .number: rendered += "\(number)"
                case .source(let range): rendered += render(range, inner)
                }
            }
            position = candidate.range.upperBound
        }
        return rendered + String(decoding: text[position..<range.upperBound], as: UTF8.self)
    }
}

extension Range<Int> {
    fileprivate func isWithin(_ other: Range<Int>) -> Bool {
        other.lowerBound <= lowerBound && upperBound <= other.upperBound
    }
}
