import Glibc
import Synchronization
import Testing

@testable import Mounting

@Suite struct `A request of the kernel` {
    @Test func `is answered once, by the first answer`() {
        let sent = SentAnswer()
        let pending = PendingAnswer(number: 1, sender: sent)
        #expect(pending.send(.size(3)))
        #expect(!pending.send(.failure(EIO)))
        #expect(sent.all == [.size(3)])
    }

    @Test func `is answered once when many answer at the same time`() async {
        for _ in 0..<50 {
            let sent = SentAnswer()
            let pending = PendingAnswer(number: 1, sender: sent)
            await withTaskGroup(of: Void.self) { group in
                for size in 0..<8 { group.addTask { pending.send(.size(size)) } }
            }
            #expect(sent.all.count == 1)
        }
    }

    @Test func `that the kernel has dropped has no effect`() {
        let sent = SentAnswer(result: ENOENT)
        #expect(!PendingAnswer(number: 1, sender: sent).send(.size(3)))
        #expect(sent.all == [.size(3)])
    }

    @Test func `that is dropped without an answer is a mistake of the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = PendingAnswer(number: 1, sender: SentAnswer())
        }
    }

    @Test func `that is interrupted is answered at once, and its work ends`() {
        let pending = PendingAnswers()
        let sent = SentAnswer()
        let isCancelled = Mutex(false)
        let answer = PendingAnswer(number: 7, sender: sent)
        #expect(pending.add(answer) { isCancelled.withLock { $0 = true } })
        pending.interrupt(6)
        #expect(sent.all.isEmpty)
        pending.interrupt(7)
        #expect(sent.all == [.failure(EINTR)] && isCancelled.withLock { $0 })
        pending.finish(answer, .bytes([1]))
        #expect(sent.all == [.failure(EINTR)] && pending.count == 0)
    }

    @Test func `beyond the room for those that wait is refused`() {
        let pending = PendingAnswers()
        for number in 1...UInt64(PendingAnswers.countMax) {
            #expect(pending.add(PendingAnswer(number: number, sender: SentAnswer())) {})
        }
        let sent = SentAnswer()
        #expect(!pending.add(PendingAnswer(number: 0, sender: sent)) {})
        #expect(sent.all == [.failure(EBUSY)])
        pending.failAll()
        #expect(pending.count == 0)
    }
}
