import Session
import Testing
import TestSupport

@Suite struct AdmissionLimiterTests {
    private typealias Limiter = AdmissionLimiter<String>

    private func ticket(_ decision: Limiter.Decision) -> Limiter.Ticket? {
        guard case .admitted(let ticket) = decision else { return nil }
        return ticket
    }

    @Test func `an address that connects too often waits for its next token`() throws {
        var limiter = Limiter(configuration: .init(burst: 3, refillMilliseconds: 100))
        for _ in 0..<3 {
            limiter.finished(try #require(ticket(limiter.connected(from: "a", now: 1_000))))
        }
        #expect(limiter.connected(from: "a", now: 1_000) == .tooOften)
        #expect(limiter.connected(from: "a", now: 1_099) == .tooOften)
        #expect(ticket(limiter.connected(from: "b", now: 1_099)) != nil, "another address has its own tokens")
        #expect(ticket(limiter.connected(from: "a", now: 1_100)) != nil)
        #expect(limiter.connected(from: "a", now: 1_100) == .tooOften)
    }

    @Test func `half-open connections are bounded by address and in all`() throws {
        var limiter = Limiter(configuration: .init(halfOpenMax: 3, halfOpenPerAddressMax: 2))
        let first = try #require(ticket(limiter.connected(from: "a", now: 0)))
        #expect(ticket(limiter.connected(from: "a", now: 0)) != nil)
        #expect(limiter.connected(from: "a", now: 0) == .tooManyFromAddress)
        #expect(ticket(limiter.connected(from: "b", now: 0)) != nil)
        #expect(limiter.connected(from: "c", now: 0) == .tooManyHalfOpen)
        limiter.finished(first)
        #expect(ticket(limiter.connected(from: "c", now: 0)) != nil)
        #expect(limiter.halfOpenCount == 3)
    }

    @Test func `a flood of addresses does not grow the table and quiet ones make room`() {
        var limiter = Limiter(configuration: .init(burst: 2, refillMilliseconds: 10, addressCountMax: 50))
        for index in 0..<5_000 {
            if let ticket = ticket(limiter.connected(from: "\(index)", now: 0)) {
                limiter.finished(ticket)
            }
        }
        #expect(limiter.addressCount <= 51)
        #expect(limiter.connected(from: "late", now: 0) == .tooOften, "the rest share one bucket, which is empty")
        #expect(ticket(limiter.connected(from: "later", now: 1_000)) != nil)
        #expect(limiter.addressCount <= 3, "quiet addresses are forgotten")
    }

    @Test func `a clock that goes back gives nothing away and does not trap`() throws {
        var limiter = Limiter(configuration: .init(burst: 1, refillMilliseconds: 100))
        limiter.finished(try #require(ticket(limiter.connected(from: "a", now: .max))))
        #expect(limiter.connected(from: "a", now: 0) == .tooOften)
        #expect(limiter.connected(from: "a", now: .max) == .tooOften)
    }

    @Test(arguments: 0..<50)
    func `the count of half-open connections is what was admitted and not finished`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var limiter = Limiter(
            configuration: .init(halfOpenMax: 5, halfOpenPerAddressMax: 3, burst: 4, addressCountMax: 4)
        )
        var held: [Limiter.Ticket] = []
        var now: UInt64 = 0
        for _ in 0..<500 {
            now += UInt64.random(in: 0...400, using: &generator)
            if Bool.random(using: &generator), !held.isEmpty {
                limiter.finished(held.remove(at: Int.random(in: 0..<held.count, using: &generator)))
            } else {
                let address = "\(Int.random(in: 0..<10, using: &generator))"
                if let ticket = ticket(limiter.connected(from: address, now: now)) {
                    held.append(ticket)
                }
            }
            #expect(limiter.halfOpenCount == held.count, "seed \(seed)")
            #expect(held.count <= 5, "seed \(seed)")
        }
    }
}
