import Synchronization
import Testing

@testable import LocalAPI

/// Whether something has happened.
private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

@Suite struct `The queue between two tasks` {
    @Test(.timeLimit(.minutes(5))) func `everything arrives in order, in batches`() async {
        let queue = Handoff<Int>(capacity: 10)
        let received = await withTaskGroup(of: [Int].self) { group in
            group.addTask {
                for start in stride(from: 0, to: 1000, by: 4) {
                    guard await queue.push((start..<start + 4).map { ($0, 1) }) else { break }
                }
                queue.finish()
                return []
            }
            group.addTask {
                var received: [Int] = []
                while true {
                    let batch = await queue.take(count: 7)
                    #expect(batch.count <= 7)
                    if batch.isEmpty { return received }
                    received += batch
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(received == Array(0..<1000))
    }

    @Test(.timeLimit(.minutes(5))) func `a producer over the capacity waits`() async {
        let queue = Handoff<Int>(capacity: 2)
        #expect(await queue.push([(1, 1), (2, 1)]))
        let hasPushed = Flag()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = await queue.push([(3, 1)])
                hasPushed.set()
            }
            for _ in 0..<1000 { await Task.yield() }
            #expect(!hasPushed.isSet)
            #expect(await queue.take(weight: 1) == [1])
        }
        #expect(hasPushed.isSet)
        #expect(await queue.take() == [2, 3])
    }

    @Test(.timeLimit(.minutes(5)))
    func `an end with a last element lets a waiting producer go, and nothing follows it`() async {
        let queue = Handoff<Int>(capacity: 1)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await queue.push([(1, 1), (2, 1)]) }
            while await queue.take(weight: 1) != [1] {}
            queue.finish(with: 3)
            queue.finish(with: 4)
            _ = await group.next()
        }
        #expect(await queue.push([(5, 1)]) == false)
        #expect(await queue.take() == [2, 3])
        #expect(await queue.take() == [])
    }

    @Test func `one heavy element is returned alone`() async {
        let queue = Handoff<Int>(capacity: 100)
        _ = await queue.push([(1, 50), (2, 5), (3, 5), (4, 5)])
        #expect(await queue.take(weight: 10) == [1])
        #expect(await queue.take(weight: 10) == [2, 3])
        queue.offer(5)
        queue.finish()
        #expect(await queue.take() == [4])
        #expect(await queue.take() == [])
    }

    @Test(.timeLimit(.minutes(5))) func `cancelling either side ends both`() async {
        let queue = Handoff<Int>(capacity: 0)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await queue.push([(1, 1)]) }
            group.cancelAll()
            #expect(await group.next() == false)
        }
        #expect(await queue.take() == [])
        let waiting = Handoff<Int>(capacity: 0)
        await withTaskGroup(of: [Int].self) { group in
            group.addTask { await waiting.take() }
            group.cancelAll()
            #expect(await group.next() == [])
        }
        #expect(await waiting.push([(1, 1)]) == false)
    }

    @Test func `an offered item is dropped while another one waits`() async {
        let queue = Handoff<Int>(capacity: 10)
        queue.offer(1)
        queue.offer(2)
        #expect(await queue.take() == [1])
    }
}
