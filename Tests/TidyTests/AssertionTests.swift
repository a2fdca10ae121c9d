import Testing

/// How much of what must hold is stated in the code of the targets that decide what becomes of records.
@Suite struct `Assertions of the core` {
    private static let targets = ["Records", "Sync", "Peering"]
    private static let leastPerThousandLines = 5.0

    /// The assertions of a target, and its lines that are neither empty nor comments.
    private static func count(_ target: String) throws -> (assertions: Int, lines: Int) {
        let files = try SourceTree("Sources").files.filter { $0.target == target }
        let lines = files.flatMap(\.lines).map(SourceTree.withoutComment)
            .filter { !$0.allSatisfy(\.isWhitespace) }
        let expression = try Regex(#"\b(assert|assertionFailure|precondition|preconditionFailure|mustHold)\("#)
        return (lines.count { $0.contains(expression) }, lines.count)
    }

    @Test(arguments: targets) func `are at least five in a thousand lines of code`(target: String) throws {
        let (assertions, lines) = try Self.count(target)
        let density = Double(assertions) * 1_000 / Double(max(lines, 1))
        print(
            "\(target): \(assertions) assertions in \(lines) lines of code, \((density * 10).rounded() / 10) in a thousand"
        )
        #expect(density >= Self.leastPerThousandLines)
    }

    @Test(arguments: targets) func `say each what holds`(target: String) throws {
        // An assertion without a text leaves its reader with a line number.
        let pattern = #"\b(assert|precondition)\([^"]*\)\s*$"#
        let silent = try SourceTree("Sources").places(of: pattern, in: [target])
        #expect(silent.isEmpty, "\(silent)")
    }
}
