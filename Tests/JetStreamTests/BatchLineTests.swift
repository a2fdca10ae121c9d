import Dispatch
@testable import JetStream
import Mailbox
import Synchronization
import Testing
import Wire

@Suite("Deposits that wait")
struct PutLineTests {
    @Test func `are written together, in their order, while others are written`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let batches = Mutex<[Int]>([])
        let line = PutLine(JetStreamWorkers(count: 2)) { deposits, _ in
            batches.withLock { $0.append(deposits.count) }
            gate.wait()
            return deposits.map { $0.until == 7 ? .full : .stored }
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<70 {
                group.addTask { try await (number, line.put(Things.deposit(number, until: UInt64(number)))) }
            }
            try await until("the first batch is under way") { !batches.withLock { $0.isEmpty } }
            for _ in 0..<70 { gate.signal() }
            for try await (number, outcome) in group { #expect(outcome == (number == 7 ? .full : .stored)) }
        }
        let counts = batches.withLock { $0 }
        #expect(counts.reduce(0, +) == 70 && counts.count < 70 && counts.allSatisfy { $0 <= PutLine.batchMax })
    }

    @Test func `are turned down when too many wait`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let line = PutLine(JetStreamWorkers(count: 1)) { deposits, _ in
            gate.wait()
            return deposits.map { _ in .stored }
        }
        let counts = await withTaskGroup { group in
            let deposit = Things.deposit(1)
            let count = PutLine.waitingMax + PutLine.batchMax + 100
            for _ in 0..<count {
                group.addTask { (try? await line.put(deposit)) != nil }
            }
            var (kept, refused) = (0, 0)
            // Those that are turned down are told at once; the others when they are written.
            for await isKept in group {
                if isKept { kept += 1 } else { refused += 1 }
                if refused >= 100 - PutLine.batchMax { for _ in 0..<count { gate.signal() } }
            }
            return (kept, refused)
        }
        #expect(counts.1 >= 100 - PutLine.batchMax && counts.0 >= PutLine.waitingMax)
    }

    @Test func `are turned down after the end`() async throws {
        let workers = JetStreamWorkers(count: 1)
        let line = PutLine(workers) { deposits, _ in deposits.map { _ in .stored } }
        #expect(try await line.put(Things.deposit(1)) == .stored)
        workers.stop()
        await #expect(throws: JetStreamWorkers.refusal) { try await line.put(Things.deposit(1)) }
        await #expect(throws: JetStreamWorkers.refusal) { try await workers.run { 1 } }
    }
}
