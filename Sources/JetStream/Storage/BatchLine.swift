import Mailbox
import Synchronization

/// Calls that wait, in lanes: all waiting calls of one lane are done together.
///
/// Many together cost little more than one, and in a lane there are never two at a time: two writes under one
/// admission, for example, would conflict. Overflow policy: refuse. Beyond a number of calls, or a number of bytes, a
/// call is refused at once.
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

    /// Makes an empty line.
    /// - Parameters:
    ///   - workers: The workers that do the calls.
    ///   - bounds: The limits for waiting calls, and for calls that are done together.
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

    /// Performs a call together with others of its lane.
    /// - Parameters:
    ///   - call: The call.
    ///   - lane: The lane.
    ///   - byteCount: The number of bytes of parcels in the call.
    /// - Returns: The answer.
    /// - Throws: Any error of `work`, or `JetStreamWorkers.refusal`.
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

    /// Performs the waiting calls of a lane, batch by batch.
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

/// The limits for waiting calls, and for calls that are done together.
struct BatchBounds: Sendable {
    /// The maximum number of waiting calls.
    var waitingMax = 4_096
    /// The maximum number of waiting bytes of parcels.
    var waitingByteCountMax = 256 * 1_048_576
    /// The maximum number of calls that are done together: a batch of JetStream's takes a thousand messages.
    var batchMax = 64
    /// The maximum number of bytes of parcels that are done together, beside the first call's.
    var batchByteCountMax = 8 * 1_048_576
}
