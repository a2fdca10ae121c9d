import Testing

@testable import Simulator

@Suite struct SeededGeneratorTests {
    @Test func `a seed gives one sequence`() {
        var first = Simulator.SeededGenerator(seed: 7)
        var second = Simulator.SeededGenerator(seed: 7)
        var third = Simulator.SeededGenerator(seed: 8)
        let draws = (0..<64).map { _ in (first.next(), second.next(), third.next()) }
        #expect(draws.allSatisfy { $0.0 == $0.1 })
        #expect(draws.allSatisfy { $0.0 != $0.2 })
    }

    @Test func `waiting times have about their mean and are never beyond forty times it`() {
        var random = Simulator.SeededGenerator(seed: 1)
        let count = 20_000
        let times = (0..<count).map { _ in random.exponential(mean: 1_000) }
        let mean = times.reduce(0, +) / UInt64(count)
        #expect((900...1_100).contains(mean))
        #expect(times.allSatisfy { $0 <= 40_000 })
        // An exponential distribution has about a third of its values beyond its mean.
        let beyond = times.count { $0 > 1_000 }
        #expect((count / 4...count * 9 / 20).contains(beyond))
    }

    @Test func `a number stays in its range and reaches both ends`() {
        var random = Simulator.SeededGenerator(seed: 2)
        let numbers = Set((0..<1_000).map { _ in random.number(3...6) })
        #expect(numbers == [3, 4, 5, 6])
        #expect(random.number(9...9) == 9)
    }
}
