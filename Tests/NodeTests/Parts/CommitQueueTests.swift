import Store
import Sync
import Synchronization
import Testing

@testable import Node

/// A store that notes how many jobs it gets at once, and fails on demand.
private final class NotingStorage: StoragePort {
    struct State {
        var groups: [Int] = []
        var failure: StorageError.Code?
        /// Transactions that hold this many jobs or more fail.
        var failsFrom = Int.max
    }

    let state = Mutex(State())
    private let directory: TestDirectory
    private let store: SQLiteStore

    init() async throws {
        directory = try TestDirectory()
        store = try await SQLiteStore.open(StateDirectory(path: directory.path))
    }

    func commit<Value: Sendable>(_ jobs: [StorageJob<Value>]) async throws -> [Result<Value, any Error>] {
        let failure = state.withLock { state -> StorageError.Code? in
            state.groups.append(jobs.count)
            return jobs.count >= state.failsFrom ? state.failure : nil
        }
        if let failure { throw StorageError(code: failure, message: "as the test wants it") }
        return try await store.commit(jobs)
    }

    func protect(with key: StoreKey?, orMake make: @Sendable () throws -> StoreKey) async throws {
        try await store.protect(with: key, orMake: make)
    }

    func read<Value: Sendable>(_ body: @Sendable (any NodeTransaction) throws -> Value) async throws -> Value {
        try await store.read(body)
    }

    func quickCheck() async throws -> [String] { try await store.quickCheck() }

    func checkpoint() async throws { try await store.checkpoint() }
    func close() async throws { try await store.close() }
}

private struct Refused: Error {}

@Suite(.timeLimit(.minutes(5))) struct `The commit queue` {
    private let storage: NotingStorage

    init() async throws {
        storage = try await NotingStorage()
    }

    /// Enqueues numbered jobs, of which some throw, and notes the order of their completions.
    private func enqueue(_ count: Int, failing: Set<Int> = [], on queue: CommitQueue, into order: Order) {
        for number in 0..<count {
            let isAccepted = queue.enqueue { _ in
                if failing.contains(number) { throw Refused() }
                return number
            } completion: { result in
                order.note(number, (try? result.get()) != nil)
            }
            #expect(isAccepted)
        }
    }

    @Test func `runs waiting jobs in one transaction and completes in their order`() async {
        let queue = CommitQueue(storage: storage)
        let order = Order()
        enqueue(100, on: queue, into: order)
        queue.stop()
        await queue.run()
        #expect(order.numbers == Array(0..<100) && order.failed.isEmpty)
        #expect(storage.state.withLock { $0.groups } == [100])
    }

    @Test func `lets one failing job harm no other`() async {
        let queue = CommitQueue(storage: storage)
        let order = Order()
        enqueue(10, failing: [3, 7], on: queue, into: order)
        queue.stop()
        await queue.run()
        #expect(order.numbers == Array(0..<10) && order.failed == [3, 7])
    }

    @Test func `tries each job alone when their transaction fails, but not on a full disk`() async {
        storage.state.withLock { ($0.failure, $0.failsFrom) = (.inputOutput, 2) }
        let queue = CommitQueue(storage: storage)
        let order = Order()
        enqueue(5, on: queue, into: order)
        queue.stop()
        await queue.run()
        #expect(order.numbers == Array(0..<5) && order.failed.isEmpty)
        #expect(storage.state.withLock { $0.groups } == [5, 1, 1, 1, 1, 1])

        storage.state.withLock { ($0.failure, $0.failsFrom, $0.groups) = (.diskFull, 1, []) }
        let full = CommitQueue(storage: storage)
        let refused = Order()
        enqueue(5, on: full, into: refused)
        full.stop()
        await full.run()
        #expect(refused.failed == Array(0..<5) && storage.state.withLock { $0.groups } == [5])
    }

    @Test func `refuses when it is stopped, with that reason`() async {
        let queue = CommitQueue(storage: storage)
        queue.stop()
        #expect(
            !queue.enqueue { _ in
                ()
            } completion: { _ in
            }
        )
        await #expect {
            try await queue.perform { _ in () }
        } throws: { error in
            (error as? NodeError)?.code == .notReady
        }
    }

    @Test func `refuses when it is full, and drops nothing`() async {
        let queue = CommitQueue(storage: storage)
        let order = Order()
        enqueue(CommitBacklog<Int>.waitingCountMax, on: queue, into: order)
        #expect(
            !queue.enqueue { _ in
                ()
            } completion: { _ in
            }
        )
        queue.stop()
        await queue.run()
        #expect(order.numbers.count == CommitBacklog<Int>.waitingCountMax)
        #expect(storage.state.withLock { $0.groups.max() } == CommitBacklog<Int>.groupCountMax)
    }

    @Test func `commits accepted jobs even when its task is cancelled`() async {
        let queue = CommitQueue(storage: storage)
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            enqueue(10, on: queue, into: order)
            group.addTask { await queue.run() }
        }
        #expect(order.numbers == Array(0..<10))
        #expect(
            !queue.enqueue { _ in
                ()
            } completion: { _ in
            }
        )
    }

    @Test func `lets a patient job wait for another one, or for its time`() async {
        let patience = AsyncStream.makeStream(of: Void.self)
        let queue = CommitQueue(storage: storage, measures: CommitMetrics(NoMetrics())) {
            for await _ in patience.stream { return }
        }
        let order = Order()
        func enqueue(_ number: Int, isPatient: Bool, whenDone: @escaping @Sendable () -> Void = {}) {
            let isAccepted = queue.enqueue(isPatient: isPatient) { _ in
                number
            } completion: { result in
                order.note(number, (try? result.get()) != nil)
                whenDone()
            }
            #expect(isAccepted)
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await queue.run() }
            await withCheckedContinuation { done in
                enqueue(0, isPatient: true)
                enqueue(1, isPatient: false) { done.resume() }
            }
            #expect(storage.state.withLock { $0.groups } == [2])
            await withCheckedContinuation { done in
                enqueue(2, isPatient: true) { done.resume() }
                patience.continuation.yield()
            }
            // And the last one is committed at the end.
            enqueue(3, isPatient: true)
            queue.stop()
        }
        #expect(order.numbers == [0, 1, 2, 3] && order.failed.isEmpty)
        #expect(storage.state.withLock { $0.groups } == [2, 1, 1])
    }

    @Test func `announces in the order of the commits, before waiting callers continue`() async throws {
        let queue = CommitQueue(storage: storage)
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await queue.run() }
            await withTaskGroup(of: Void.self) { writers in
                for _ in 0..<50 {
                    writers.addTask {
                        let next = Counter.shared.next
                        let value = try? await queue.perform { _ in
                            next()
                        } whenDurable: {
                            order.note($0, true)
                        }
                        #expect(value.map { order.numbers.contains($0) } == true)
                    }
                }
            }
            queue.stop()
        }
        #expect(order.numbers == order.numbers.sorted() && order.numbers.count == 50)
    }
}

/// Counts jobs in the order in which they run.
private final class Counter: Sendable {
    static let shared = Counter()
    private let value = Mutex(0)

    var next: @Sendable () -> Int {
        { [self] in
            value.withLock { value in
                value += 1
                return value
            }
        }
    }
}

/// The order in which completions were called.
private final class Order: Sendable {
    private let state = Mutex<(numbers: [Int], failed: [Int])>(([], []))

    var numbers: [Int] { state.withLock { $0.numbers } }
    var failed: [Int] { state.withLock { $0.failed } }

    func note(_ number: Int, _ isGood: Bool) {
        state.withLock { state in
            state.numbers.append(number)
            if !isGood { state.failed.append(number) }
        }
    }
}
