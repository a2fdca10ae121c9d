import Mailbox
import Synchronization

/// Calls that wait, in lanes: all that wait in one are done together.
///
/// Many together cost little more than one, and in a lane there are never two at a time: two writes under one admission, for example, would
/// be in each other's way. Overflow policy: refuse. Beyond a number, or a number of bytes, a call is turned down at once.
final class BatchLine<Lane: Hashable & Sendable, Call: Sendable, Answer: Sendable>: Sendable {
    private struct Waiting {
        var call: Call
        var byteCount: Int
        var continuation: CheckedContinuation<Answer, any Error>
    }

    private struct Line {
        var waiting: [Lane: [Waiting]] = [:]
        var busy: Set<Lane> = []
        var count = 0
        var byteCount = 0
    }

    private let line = Mutex(Line())
    private let workers: JetStreamWorkers
    private let bounds: BatchBounds
    private let work: @Sendable ([Call], Lane) throws(StreamError) -> [Answer]

    /// Makes a line in which nobody waits.
    /// - Parameters:
    ///   - workers: Who does it.
    ///   - bounds: How much waits, and how much is done together.
    ///   - work: Does the calls of a lane, and answers each, in their order. It blocks.
    init(
        _ workers: JetStreamWorkers,
        bounds: BatchBounds = BatchBounds(),
        work: @escaping @Sendable ([Call], Lane) throws(StreamError) -> [Answer]
    ) {
        self.workers = workers
        self.bounds = bounds
        self.work = work
    }

    /// Has a call done.
    /// - Parameters:
    ///   - call: What.
    ///   - lane: With which others.
    ///   - byteCount: How many bytes of parcels it has in it.
    /// - Returns: The answer.
    /// - Throws: What `work` threw, or `JetStreamWorkers.refusal`.
    func perform(_ call: Call, in lane: Lane, byteCount: Int = 0) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = line.withLock { line -> Bool? in
                guard line.count < bounds.waitingMax, line.byteCount + byteCount <= bounds.waitingByteCountMax
                else { return nil }
                line.count += 1
                line.byteCount += byteCount
                let waiting = Waiting(call: call, byteCount: byteCount, continuation: continuation)
                line.waiting[lane, default: []].append(waiting)
                return line.busy.insert(lane).inserted
            }
            guard let isFirst else { return continuation.resume(throwing: JetStreamWorkers.refusal) }
            if isFirst { begin(lane) }
        }
    }

    /// Has the next ones of a lane done, and so on.
    ///
    /// One batch is one job, so that lanes take turns.
    private func begin(_ lane: Lane) {
        let isTaken = workers.submit {
            let batch = self.take(lane)
            guard !batch.isEmpty else { return }
            let result: Result<[Answer], any Error>
            do throws(StreamError) {
                result = .success(try self.work(batch.map(\.call), lane))
            } catch {
                result = .failure(error.storageError)
            }
            for (index, waiting) in batch.enumerated() {
                waiting.continuation.resume(with: result.map { $0[index] })
            }
            self.begin(lane)
        }
        if !isTaken { refuse(lane) }
    }

    /// Takes the next ones out of the line; none ends the lane's turn.
    private func take(_ lane: Lane) -> [Waiting] {
        line.withLock { line in
            var count = 0
            var byteCount = 0
            for waiting in line.waiting[lane] ?? [] {
                let sum = byteCount + waiting.byteCount
                guard count == 0 || (count < bounds.batchMax && sum <= bounds.batchByteCountMax) else { break }
                count += 1
                byteCount = sum
            }
            guard count > 0 else {
                line.waiting[lane] = nil
                line.busy.remove(lane)
                return []
            }
            line.count -= count
            line.byteCount -= byteCount
            defer { line.waiting[lane]?.removeFirst(count) }
            return Array(line.waiting[lane]?.prefix(count) ?? [])
        }
    }

    private func refuse(_ lane: Lane) {
        let refused = line.withLock { line in
            let refused = line.waiting.removeValue(forKey: lane) ?? []
            line.busy.remove(lane)
            line.count -= refused.count
            line.byteCount -= refused.reduce(0) { $0 + $1.byteCount }
            return refused
        }
        for waiting in refused { waiting.continuation.resume(throwing: JetStreamWorkers.refusal) }
    }
}

/// How much waits in a line, and how much of it is done together.
struct BatchBounds: Sendable {
    /// How many calls wait at most.
    var waitingMax = 4_096
    /// How many bytes of parcels wait at most.
    var waitingByteCountMax = 256 * 1_048_576
    /// How many calls are done together at most: a batch of JetStream's takes a thousand messages.
    var batchMax = 64
    /// How many bytes of parcels are done together at most, beside the first one's.
    var batchByteCountMax = 8 * 1_048_576
}
