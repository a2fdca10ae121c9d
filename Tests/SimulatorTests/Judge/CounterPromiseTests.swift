import Simulator
import Testing

@Suite struct CounterPromiseTests {
    private func promise(_ amounts: [Int64], missing: Set<Int> = []) -> CounterPromise {
        CounterPromise(
            amounts.enumerated().map { index, amount in
                CounterPromise.Addition(
                    counter: UInt64(index + 1),
                    amount: amount,
                    mayBeMissing: missing.contains(index)
                )
            }
        )
    }

    @Test func `the sum of all additions is explained, and no other total`() {
        let promise = promise([5, 3, -1])
        #expect(promise.explains(7))
        for total in Int64(-2)...12 where total != 7 { #expect(!promise.explains(total)) }
        #expect(!promise.explains(nil))
    }

    @Test func `the last addition alone is a loss`() {
        #expect(!promise([5, 3]).explains(3))
    }

    @Test func `additions that a write took away may be missing, from the first on`() {
        let promise = promise([5, 3, 2], missing: [0, 1])
        #expect(promise.explains(10))
        #expect(promise.explains(5))
        #expect(promise.explains(2))
        #expect(!promise.explains(8))
        #expect(!promise.explains(nil))
    }

    @Test func `the newest additions may be missing where their record was deleted`() {
        let promise = promise([5, 3, 2], missing: [1, 2])
        #expect(promise.explains(5))
        #expect(promise.explains(8))
        #expect(!promise.explains(3))
    }

    @Test func `an addition amid others may be missing where a deletion alone had seen it`() {
        let promise = promise([6, -1, 4], missing: [0, 1])
        #expect(promise.explains(10))
        #expect(promise.explains(4))
        #expect(promise.explains(3))
        #expect(!promise.explains(6))
        #expect(!promise.explains(5))
    }

    @Test func `a total of none of the additions is not explained by their absence`() {
        #expect(!promise([5, 3], missing: [0, 1]).explains(0))
    }

    @Test func `nothing is shown where all may be missing`() {
        #expect(promise([5, 3], missing: [0, 1]).explains(nil))
        #expect(!promise([5, 3], missing: [0]).explains(nil))
    }

    @Test func `sums wrap around as counters do`() {
        #expect(promise([.max, 1]).explains(.min))
    }
}
