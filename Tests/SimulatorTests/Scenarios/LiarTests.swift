import Testing

@testable import Simulator

@Suite struct LiarTests {
    @Test func `every liar has a scenario that is found by its name`() {
        let names = Liar.allCases.map(\.scenario.name)
        #expect(Set(names).count == Liar.allCases.count)
        for name in names { #expect(Scenario.named(name) != nil) }
    }

    @Test func `a liar that is not withstood is met nowhere unasked`() {
        for liar in Liar.allCases {
            let isMet = Scenario.all.contains { $0.name == liar.scenario.name }
            #expect(isMet == liar.isWithstood)
            #expect(Liar.mixed.contains(liar) == liar.isWithstood)
            #expect(Scenario.open.contains { $0.name == liar.scenario.name } != liar.isWithstood)
        }
    }

    @Test func `a position of the future lies beyond the end of its log`() {
        for size in FutureSize.allCases { #expect(size.stated(for: 7) > 7) }
    }
}
