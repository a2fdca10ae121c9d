import Mutating
import Testing

@Suite struct `A negated condition` {
    @Test func `is that of a branch, a guard, a loop and a choice`() {
        let forms = Forms(
            """
            func f(_ a: Bool) {
                if a { g() }
                guard a, let b = h() else { return }
                while a {}
                repeat {} while a
                let c = a ? b : d
            }
            """
        )
        #expect(
            forms.instrumented(.condition) == """
                import MutationSwitch; func f(_ a: Bool) {
                    if kairanFlipped(1, a) { g() }
                    guard kairanFlipped(2, a), let b = h() else { return }
                    while kairanFlipped(3, a) {}
                    repeat {} while kairanFlipped(4, a)
                    let c = kairanFlipped(5, a) ? b : d
                }
                """
        )
    }

    @Test func `is that of a where clause of a loop, a case or a catch`() {
        let forms = Forms(
            """
            func f() {
                for a in b where c {}
                switch a { case let x where x: break; default: break }
                do {} catch where c {}
            }
            """
        )
        let text = forms.instrumented(.condition)
        #expect(text.contains("for a in b where kairanFlipped(1, c) {}"))
        #expect(text.contains("case let x where kairanFlipped(2, x): break"))
        #expect(text.contains("catch where kairanFlipped(3, c) {}"))
    }

    @Test func `is not the requirement of a generic type`() {
        #expect(Forms("extension A where B == C { func f() {} }\nfunc g<T>(_ t: T) where T: D {}").changes.isEmpty)
    }

    @Test func `has its mark of an error inside`() {
        let text = Forms("func f() throws { if try g() {} }").instrumented(.condition)
        #expect(text == "import MutationSwitch; func f() throws { if kairanFlipped(1, try g()) {} }")
    }

    @Test func `is no constant, and no equality whose other operator is the same change`() {
        #expect(Forms("func f() { while true {} }").changes.isEmpty)
        #expect(Forms("func f() { if a == b {} }").changes == ["comparison: a == b -> a != b"])
    }
}
