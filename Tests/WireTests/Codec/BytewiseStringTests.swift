import Testing
import Wire

/// Names are their bytes.
@Suite struct BytewiseStringTests {
    @Test func `equivalent strings of other bytes are two names`() {
        let composed = BytewiseString("é")
        let decomposed = BytewiseString("e\u{301}")
        #expect(composed.string == decomposed.string)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func `names sort by their bytes`() {
        #expect(BytewiseString("e\u{301}") < BytewiseString("é"))
        #expect(BytewiseString("Z") < BytewiseString("a"))
        #expect(BytewiseString("a") < BytewiseString("ab"))
        #expect(!("a".isBytewiseLess(than: "a")))
    }
}
