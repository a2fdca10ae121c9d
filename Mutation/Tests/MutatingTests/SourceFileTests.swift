import Mutating
import Testing

@Suite struct `An instrumented file` {
    private static let source = """
        // A comment.
        import Wire

        func f() {
            if a < 4 && b { g(1) }
        }

        """

    @Test func `imports the switch in the line of its first import`() {
        let text = Forms(Self.source).instrumented(.statement)
        #expect(text.hasPrefix("// A comment.\nimport MutationSwitch; import Wire\n"))
    }

    @Test func `has all of its mutants inside each other`() {
        let text = Forms(Self.source).instrumented(.condition, .connective, .comparison, .number, .statement)
        let small = "(kairanMutant(3) ? a <= %@ : a < %@)"
        let four = "(kairanMutant(4) ? 3 : (kairanMutant(5) ? 5 : 4))"
        let left = small.split(separator: "%@", omittingEmptySubsequences: false).joined(separator: four)
        let connected = "kairanFlipped(2, kairanFlipped(2, \(left)) && kairanFlipped(2, b))"
        let one = "(kairanMutant(7) ? 0 : (kairanMutant(8) ? 2 : 1))"
        #expect(
            text.contains("if kairanFlipped(1, \(connected)) { if !kairanMutant(6) { g(\(one)) } }"),
            "\(text)"
        )
    }

    @Test func `keeps each line in its place`() {
        let text = Forms(Self.source).instrumented(.condition, .connective, .comparison, .number, .statement)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 7)
    }

    @Test func `is the file itself without mutants`() {
        #expect(Forms(Self.source).instrumented() == Self.source)
    }

    @Test func `names lines and columns from one`() throws {
        let file = SourceFile(Self.source)
        #expect(file.lineCount == 6)
        let condition = try #require(file.candidates.first)
        let place = file.place(of: condition.range.lowerBound)
        #expect(place.line == 5)
        #expect(place.column == 8)
    }
}

@Suite struct `A sample` {
    private static func stratum(_ path: String, lines: Int, statements: Int) -> Stratum {
        let body = (0..<statements).map { "    f(\($0))\n" }.joined()
        return Stratum(path: path, lineCount: lines, candidates: SourceFile("func a() {\n\(body)}\n").candidates)
    }

    private static let strata = [
        stratum("a", lines: 300, statements: 60), stratum("b", lines: 100, statements: 60),
        stratum("c", lines: 10, statements: 1), stratum("d", lines: 50, statements: 0),
    ]

    @Test func `is the same for the same seed, in any order of the files`() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let one = Sample(of: Self.strata, count: 40, seed: seed)
            #expect(one.drawn == Sample(of: Self.strata.reversed(), count: 40, seed: seed).drawn)
        }
        #expect(
            Sample(of: Self.strata, count: 40, seed: 1).drawn != Sample(of: Self.strata, count: 40, seed: 2).drawn
        )
    }

    @Test func `follows the lines of the files`() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let drawn = Sample(of: Self.strata, count: 41, seed: seed).drawn.mapValues(\.count)
            #expect((29...31).contains(drawn["a"] ?? 0), "seed \(seed)")
            #expect((9...11).contains(drawn["b"] ?? 0), "seed \(seed)")
            #expect(drawn["d"] == nil)
        }
    }

    @Test func `has each change at most once, and all of them in the end`() {
        let sample = Sample(of: Self.strata, count: 10_000, seed: 1)
        for stratum in Self.strata where !stratum.candidates.isEmpty {
            #expect(sample.drawn[stratum.path] == stratum.candidates)
        }
    }
}
