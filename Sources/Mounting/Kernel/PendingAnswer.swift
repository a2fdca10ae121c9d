internal import Glibc
internal import Synchronization

/// Sends one answer to the kernel.
protocol AnswerSender: Sendable {
    /// Sends an answer, once.
    /// - Returns: 0, or the error number; `ENOENT` when the kernel had dropped the request, so that the answer has no effect.
    func send(_ answer: KernelAnswer) -> Int32
}

/// A request that is to be answered exactly once.
///
/// An interruption and the result may come at the same time: the first answer is sent, and the second is not. A request that is dropped
/// without an answer is a mistake of this program; it is answered with `EIO` then, since its caller would wait for ever.
final class PendingAnswer: Sendable {
    /// The number of the request, which no other request of the mount has.
    let number: UInt64
    private let sender: Mutex<(any AnswerSender)?>

    /// Makes an answer to a request.
    init(number: UInt64, sender: any AnswerSender) {
        self.number = number
        self.sender = Mutex(sender)
    }

    deinit {
        guard let sender = take() else { return }
        _ = sender.send(.failure(EIO))
        assertionFailure("request \(number) was answered")
    }

    /// Answers, unless the request has an answer.
    /// - Returns: Whether the kernel has taken this answer.
    @discardableResult
    func send(_ answer: KernelAnswer) -> Bool { take()?.send(answer) == 0 }

    private func take() -> (any AnswerSender)? {
        sender.withLock { sender in
            defer { sender = nil }
            return sender
        }
    }
}

/// The requests that are answered later, so that an interruption finds them.
///
/// Overflow policy: refuse. Beyond ``countMax`` requests a further one is answered with `EBUSY` at once.
final class PendingAnswers: Sendable {
    /// The maximum number of requests that wait for the daemon.
    static let countMax = 1_024

    private struct Waiting {
        var answer: PendingAnswer
        var cancel: @Sendable () -> Void
    }

    private let waiting = Mutex<[UInt64: Waiting]>([:])

    /// The number of requests that wait.
    var count: Int { waiting.withLock { $0.count } }

    /// Adds a request.
    /// - Parameters:
    ///   - answer: The answer.
    ///   - cancel: Ends the work on it.
    /// - Returns: Whether there was room; otherwise the request is answered.
    func add(_ answer: PendingAnswer, cancel: @escaping @Sendable () -> Void) -> Bool {
        let isAdded = waiting.withLock { waiting in
            guard waiting.count < Self.countMax else { return false }
            waiting[answer.number] = Waiting(answer: answer, cancel: cancel)
            return true
        }
        if !isAdded { answer.send(.failure(EBUSY)) }
        return isAdded
    }

    /// Answers a request that was added.
    /// - Returns: Whether the kernel has taken this answer.
    @discardableResult
    func finish(_ pending: PendingAnswer, _ answer: KernelAnswer) -> Bool {
        waiting.withLock { _ = $0.removeValue(forKey: pending.number) }
        return pending.send(answer)
    }

    /// Answers a request with `EINTR`, and ends the work on it; does nothing if it has an answer.
    func interrupt(_ number: UInt64) {
        guard let found = waiting.withLock({ $0.removeValue(forKey: number) }) else { return }
        found.answer.send(.failure(EINTR))
        found.cancel()
    }

    /// Answers all requests, at the end of the mount.
    func failAll() {
        let all = waiting.withLock { waiting in
            defer { waiting = [:] }
            return Array(waiting.values)
        }
        for found in all { found.answer.send(.failure(EIO)) }
    }
}
