import Mutating
import Testing

@Suite struct `A statement` {
    private func dropped(_ source: String) -> String {
        let text = Forms(source).instrumented(.statement)
        let mark = "import MutationSwitch; "
        return text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : text
    }

    @Test func `that calls or assigns is left out`() {
        #expect(
            dropped("func f() {\n    g()\n    a = b  // c\n    a += 1\n    try h()\n}")
                == """
                func f() {
                    if !kairanMutant(1) { g() }
                    if !kairanMutant(2) { a = b }  // c
                    if !kairanMutant(3) { a += 1 }
                    if !kairanMutant(4) { try h() }
                }
                """
        )
    }

    @Test func `that is alone in a function without a result is left out`() {
        #expect(dropped("func f() { g() }") == "func f() { if !kairanMutant(1) { g() } }")
        #expect(
            dropped("func f() { switch a { case .b: g() } }")
                == "func f() { switch a { case .b: if !kairanMutant(1) { g() } } }"
        )
        #expect(dropped("func f() { a.map { $0.b = 1 } }").contains("{ if !kairanMutant(2) { $0.b = 1 } }"))
    }

    @Test func `that is a result stays`() {
        for source in [
            "func f() -> Int { g() }",
            "var a: Int { g() }",
            "var a: Int { get { g() } }",
            "func f() -> Int { switch a { case .b: g() } }",
            "func f() -> Int { if a { g() } else { g() } }",
            "func f() -> Int { return if a { g() } else if b { g() } else { g() } }",
            "func f() { let b = switch a { case .b: g() } }",
            "func f() { let b = { g() } }",
        ] {
            #expect(dropped(source) == source)
        }
    }

    @Test func `that declares, ends or checks stays`() {
        for source in [
            "func f() { let a = b; return }",
            "func f() { fatalError() }",
            "func f() { assert(a) }",
            "func f() { assertValid() }",
            "func f() { for a in b { a.c.assertValid() } }",
            "func f() { assertSound(a, at: b) }",
            "func f() throws { try a.checkRules() }",
            "func f() throws { for a in b.values { try a?.checkCostlyRules() } }",
            "func f() throws { throw a }",
        ] {
            #expect(dropped(source) == source)
        }
    }

    @Test func `that is there for assertions alone stays, and those beside it are left out`() {
        #expect(
            dropped(
                """
                func f() {
                    if Assertions.areActive { g() } else { h() }
                    i()
                    do {
                        j()
                        guard Assertions.areActive else { return }
                        k()
                    }
                    row.check()
                }
                """
            ) == """
                func f() {
                    if Assertions.areActive { g() } else { if !kairanMutant(1) { h() } }
                    if !kairanMutant(2) { i() }
                    do {
                        if !kairanMutant(3) { j() }
                        guard Assertions.areActive else { return }
                        k()
                    }
                    if !kairanMutant(4) { row.check() }
                }
                """
        )
    }

    @Test func `that the compiler requires stays`() {
        for source in [
            "init() { a = 1; self.b = 2 }",
            "init() { self.init(1) }",
            "func f() {\n    let a: Int\n    if b { a = 1 } else { a = 2 }\n}",
        ] {
            #expect(dropped("struct S {\n\(source)\n}") == "struct S {\n\(source)\n}")
        }
    }
}
