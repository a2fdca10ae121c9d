import Synchronization

@testable import Mounting

/// Takes the answers to one request, in place of the kernel.
final class SentAnswer: AnswerSender {
    private let sent = Mutex<[KernelAnswer]>([])
    private let arrived: AsyncStream<Void>
    private let arrive: AsyncStream<Void>.Continuation
    private let result: Int32

    /// - Parameter result: The number that the kernel answers with: 0, or `ENOENT` when it has dropped the request.
    init(result: Int32 = 0) {
        (arrived, arrive) = AsyncStream.makeStream(of: Void.self)
        self.result = result
    }

    func send(_ answer: KernelAnswer) -> Int32 {
        sent.withLock { $0.append(answer) }
        arrive.finish()
        return result
    }

    /// All answers so far.
    var all: [KernelAnswer] { sent.withLock { $0 } }

    /// Waits for an answer.
    func first() async -> KernelAnswer? {
        for await _ in arrived {}
        return all.first
    }
}

/// The requests of a kernel to a mount, numbered as libfuse's are.
final class StandInKernel: Sendable {
    private let mount: any KernelCalls
    private let lastNumber = Mutex<UInt64>(0)

    init(_ mount: any KernelCalls) { self.mount = mount }

    /// Sends a request.
    /// - Returns: Its number, and its answer.
    func send(_ request: KernelRequest, result: Int32 = 0) -> (number: UInt64, answer: SentAnswer) {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        let answer = SentAnswer(result: result)
        mount.take(request, PendingAnswer(number: number, sender: answer))
        return (number, answer)
    }

    /// Sends a request and waits for the answer.
    func ask(_ request: KernelRequest) async -> KernelAnswer? { await send(request).answer.first() }

    /// Sends a message.
    func tell(_ notice: KernelNotice) { mount.take(notice) }
}
