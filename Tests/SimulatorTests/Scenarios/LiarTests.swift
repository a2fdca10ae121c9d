import Testing

@testable import Simulator

@Suite struct LiarTests {
    @Test func `every liar has a scenario that is found by its name`() {
        let names = Liar.allCases.map(\.scenario.name)
        #expect(Set(names).count == Liar.allCases.count)
        for name in names { #expect(Scenario.named(name) != nil) }
    }

    @Test func `a position of the future lies beyond the end of its log`() {
        for size in FutureSize.allCases { #expect(size.stated(for: 7) > 7) }
    }
}
