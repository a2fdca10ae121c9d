import Dispatch
import Mailbox
import Synchronization

/// Threads for calls that block, so that they do not block the cooperative pool.
///
/// Overflow policy: refuse. When the maximum number of jobs wait, the next one is refused at once, with an error for
/// its caller.
final class JetStreamWorkers: Sendable {
    /// The maximum number of waiting jobs.
    static let waitingMax = 4_096

    private struct Desk {
        var waiting: [@Sendable () -> Void] = []
        var idle: [Int]
        var isStopped = false
    }

    private let desk: Mutex<Desk>
    private let queues: [DispatchQueue]

    /// Makes workers.
    /// - Parameter count: The number of jobs that run at once.
    init(count: Int) {
        queues = (0..<max(count, 1)).map { DispatchQueue(label: "kairan.jetstream.\($0)") }
        desk = Mutex(Desk(idle: Array(queues.indices)))
    }

    /// Runs a job on a worker.
    /// - Returns: Whether it will be; not when too many wait, or after `stop()`.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, worker) = desk.withLock { desk -> (Bool, Int?) in
            guard !desk.isStopped, desk.waiting.count < Self.waitingMax else { return (false, nil) }
            desk.waiting.append(job)
            return (true, desk.idle.popLast())
        }
        if let worker { queues[worker].async { self.work(worker) } }
        return isTaken
    }

    /// Runs a job on a worker, and waits for it.
    func run<Value: Sendable>(_ job: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = submit {
                continuation.resume(with: Result { try job() }.mapError { ($0 as? StreamError)?.storageError ?? $0 })
            }
            if !isTaken { continuation.resume(throwing: Self.refusal) }
        }
    }

    /// Takes no more jobs; those that wait are done.
    func stop() {
        desk.withLock { $0.isStopped = true }
    }

    /// The error for refused calls.
    static let refusal = ParcelStorageError.unavailable("too many calls wait for the cluster, or the storage is closed")

    private func work(_ worker: Int) {
        while true {
            let job = desk.withLock { desk -> (@Sendable () -> Void)? in
                guard !desk.waiting.isEmpty else {
                    desk.idle.append(worker)
                    return nil
                }
                return desk.waiting.removeFirst()
            }
            guard let job else { return }
            job()
        }
    }
}
