import Testing

@testable import Simulator

@Suite struct EventQueueTests {
    /// Inserts events at these times and takes them out again.
    /// - Returns: The indices of the times in the order in which the events came out.
    private func order(_ times: [UInt64]) throws -> [Int] {
        var queue = EventQueue()
        var order: [Int] = []
        for (index, time) in times.enumerated() {
            queue.insert(.world { order.append(index) }, at: time)
        }
        while let event = queue.removeFirst() {
            guard case .world(let body) = event else { continue }
            try body()
        }
        return order
    }

    @Test func `of two events at one time the one scheduled first happens first`() throws {
        #expect(try order([5, 5, 1, 5, 1]) == [2, 4, 0, 1, 3])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `events come out as a stable sort by time orders them`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let times = (0..<300).map { _ in random.number(0...40) }
        let sorted = times.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map(\.offset)
        #expect(try order(times) == sorted, "seed \(seed)")
    }

    @Test func `places of events that happened are used again`() throws {
        var queue = EventQueue()
        var happened = 0
        for time in 0..<1_000 as Range<UInt64> {
            queue.insert(.world { happened += 1 }, at: time)
            queue.insert(.world { happened += 1 }, at: time)
            for _ in 0..<2 {
                guard case .world(let body)? = queue.removeFirst() else { continue }
                try body()
            }
            #expect(queue.count == 0)
        }
        #expect(happened == 2_000)
        #expect(queue.nextTime == nil)
    }
}
