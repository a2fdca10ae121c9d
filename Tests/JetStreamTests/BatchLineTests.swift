import Dispatch
@testable import JetStream
import Synchronization
import Testing

@Suite("Calls that wait")
struct BatchLineTests {
    private typealias Line = BatchLine<Int, Int, Int>

    private let bounds = BatchBounds()

    @Test func `are done together, in their order, while others are done`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let batches = Mutex<[[Int]]>([])
        let line = Line(JetStreamWorkers(count: 2)) { numbers, _ in
            batches.withLock { $0.append(numbers) }
            gate.wait()
            return numbers.map { $0 + 1 }
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<70 {
                group.addTask { try await (number, line.perform(number, in: 1)) }
            }
            try await until("the first batch is under way") { !batches.withLock { $0.isEmpty } }
            for _ in 0..<70 { gate.signal() }
            for try await (number, answer) in group { #expect(answer == number + 1) }
        }
        let done = batches.withLock { $0 }
        #expect(done.joined().sorted() == Array(0..<70) && done.count < 70)
        #expect(done.allSatisfy { $0.count <= bounds.batchMax })
    }

    @Test func `are done beside those of other lanes`() async throws {
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let line = Line(JetStreamWorkers(count: 2)) { numbers, lane in
            // Each waits for the other one.
            (lane == 1 ? first : second).signal()
            (lane == 1 ? second : first).wait()
            return numbers
        }
        async let one = line.perform(1, in: 1)
        async let two = line.perform(2, in: 2)
        #expect(try await [one, two] == [1, 2])
    }

    @Test func `are no more together than may be, by their bytes`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let batches = Mutex<[Int]>([])
        let line = Line(JetStreamWorkers(count: 1), bounds: BatchBounds(batchByteCountMax: 10)) { numbers, _ in
            batches.withLock { $0.append(numbers.count) }
            gate.wait()
            return numbers
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<9 {
                group.addTask { _ = try await line.perform(number, in: 1, byteCount: number == 0 ? 99 : 4) }
            }
            for _ in 0..<9 { gate.signal() }
            try await group.waitForAll()
        }
        #expect(batches.withLock { $0.reduce(0, +) == 9 && $0.allSatisfy { $0 <= 3 } })
    }

    @Test func `are turned down when too many wait`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let line = Line(JetStreamWorkers(count: 1)) { numbers, _ in
            gate.wait()
            return numbers
        }
        let count = bounds.waitingMax + bounds.batchMax + 100
        let least = 100 - bounds.batchMax
        let counts = await withTaskGroup { group in
            for number in 0..<count {
                group.addTask { (try? await line.perform(number, in: 1)) != nil }
            }
            var (done, refused) = (0, 0)
            // Refused parcels are answered at once; the others when they are stored.
            for await isDone in group {
                if isDone { done += 1 } else { refused += 1 }
                if refused >= least { for _ in 0..<count { gate.signal() } }
            }
            return (done, refused)
        }
        #expect(counts.1 >= least && counts.0 >= bounds.waitingMax)
    }

    @Test func `are turned down after the end`() async throws {
        let workers = JetStreamWorkers(count: 1)
        let line = Line(workers) { numbers, _ in numbers }
        #expect(try await line.perform(1, in: 1) == 1)
        workers.stop()
        await #expect(throws: JetStreamWorkers.refusal) { try await line.perform(1, in: 1) }
        await #expect(throws: JetStreamWorkers.refusal) { try await workers.run { 1 } }
    }
}
