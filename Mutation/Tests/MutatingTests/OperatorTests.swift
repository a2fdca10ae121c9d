import Mutating
import Testing

@Suite struct `A comparison` {
    @Test(arguments: [("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")])
    func `of order becomes its neighbour`(sign: String, other: String) {
        let text = Forms("func f() -> Bool { a.b \(sign) c }").instrumented(.comparison)
        #expect(
            text
                == "import MutationSwitch; func f() -> Bool { (kairanMutant(1) ? a.b \(other) c : a.b \(sign) c) }"
        )
    }

    @Test(arguments: ["==", "!="])
    func `of equality is negated`(sign: String) {
        let text = Forms("func f() -> Bool { a \(sign) b }").instrumented(.comparison)
        #expect(text == "import MutationSwitch; func f() -> Bool { kairanFlipped(1, a \(sign) b) }")
    }

    @Test func `of several lines, or with a closure, stays as it is`() {
        #expect(Forms("func f() -> Bool { a\n    < b }").changes.isEmpty)
        #expect(Forms("func f() -> Bool { a < b { c } }").changes.isEmpty)
    }
}

@Suite struct `A connective` {
    @Test(arguments: ["&&", "||"])
    func `is exchanged by De Morgan's law`(sign: String) {
        let text = Forms("func f() -> Bool { a \(sign) b }").instrumented(.connective)
        let flipped = "kairanFlipped(1, kairanFlipped(1, a) \(sign) kairanFlipped(1, b))"
        #expect(text == "import MutationSwitch; func f() -> Bool { \(flipped) }")
    }

    /// The two forms have equal values for all values of the sides, and evaluate the right side in the same cases.
    @Test func `has the values of the other one, and its evaluations`() {
        for (left, right) in [(false, false), (false, true), (true, false), (true, true)] {
            var evaluations = 0
            func side() -> Bool {
                evaluations += 1
                return right
            }
            let flipped = !(!left && !side())
            let or = left || side()
            #expect(flipped == or)
            #expect(evaluations == (left ? 0 : 2))
        }
    }

    @Test func `keeps its line`() {
        let text = Forms("func f() -> Bool {\n    a\n        && b\n}").instrumented(.connective)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 4)
        #expect(text.contains("kairanFlipped(1, a) \n&& kairanFlipped(1, b))"))
    }
}

@Suite struct `A number` {
    @Test func `is one more, or one less`() {
        let text = Forms("func f() -> Int { a + 4 }").instrumented(.number)
        let nested = "(kairanMutant(1) ? 3 : (kairanMutant(2) ? 5 : 4))"
        #expect(text == "import MutationSwitch; func f() -> Int { a + \(nested) }")
        #expect(Forms("func f() -> Int { 0 }").changes == ["number: 0 -> 1"])
        #expect(Forms("func f() -> Int { 0x1_0 }").changes == ["number: 0x1_0 -> 15", "number: 0x1_0 -> 17"])
    }

    @Test func `of a pattern, a raw value, a default, a constant, a table or an attribute stays as it is`() {
        for source in [
            "func f() { switch a { case 4: break; default: break } }",
            "enum A: Int { case b = 4 }",
            "func f(a: Int = 4) {}",
            "struct A { static let b = 4 }",
            "let a = 4",
            "func f() -> [Int] { [1, 2, 3, 4, 5, 6, 7, 8, 9] }",
            "@A(4) func f() {}",
        ] {
            #expect(Forms(source).changes.isEmpty, "\(source)")
        }
    }

    @Test func `of a computed property of a type is no constant`() {
        #expect(!Forms("struct A { static var b: Int { 4 } }").changes.isEmpty)
        #expect(!Forms("struct A { var b = 4 }").changes.isEmpty)
    }
}

@Suite struct `Code` {
    @Test func `that checks the program, or is for some builds, stays as it is`() {
        for source in [
            "func f() { assert(a < 4) }",
            "func f() { PlacedItem(a < 4, b).assertValid() }",
            "func f() {\n    if Assertions.areActive {\n        let a = b < 4\n        g(a)\n    }\n}",
            "func f() {\n    guard Assertions.areActive else { return }\n    if a < 4 { g() }\n}",
            "func f() { let a = Assertions.areActive ? b : c }",
            "func f() {\n    #if DEBUG\n    a = 4\n    #endif\n}",
        ] {
            #expect(Forms(source).changes.isEmpty, "\(source)")
        }
    }
}
