import Mailbox
import Synchronization
import Wire

/// Deposits that wait, by admission: all that wait of one are written together.
///
/// Two writes under one admission would be in each other's way, so there is one at a time; and one costs little more for many parcels
/// than for one. Overflow policy: refuse. Beyond a number, or a number of bytes, a deposit is turned down at once.
final class PutLine: Sendable {
    /// How many deposits wait at most.
    static let waitingMax = 4_096
    /// How many bytes of parcels wait at most.
    static let waitingByteCountMax = 256 * 1_048_576
    /// How many deposits are written together at most: a batch of JetStream's takes a thousand messages.
    static let batchMax = 64
    /// How many bytes of parcels are written together at most, beside the first one's.
    static let batchByteCountMax = 8 * 1_048_576

    private struct Waiting {
        var deposit: ParcelDeposit
        var continuation: CheckedContinuation<ParcelOutcome, any Error>
    }

    private struct Line {
        var waiting: [AdmissionID: [Waiting]] = [:]
        var busy: Set<AdmissionID> = []
        var count = 0
        var byteCount = 0
    }

    private let line = Mutex(Line())
    private let workers: JetStreamWorkers
    private let write: @Sendable ([ParcelDeposit], AdmissionID) throws(StreamError) -> [ParcelOutcome]

    /// Makes a line in which nobody waits.
    /// - Parameters:
    ///   - workers: Who writes.
    ///   - write: Writes deposits under an admission, and says what became of each. It blocks.
    init(
        _ workers: JetStreamWorkers,
        write: @escaping @Sendable ([ParcelDeposit], AdmissionID) throws(StreamError) -> [ParcelOutcome]
    ) {
        self.workers = workers
        self.write = write
    }

    /// Has a deposit written.
    func put(_ deposit: ParcelDeposit) async throws -> ParcelOutcome {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = line.withLock { line -> Bool? in
                let byteCount = line.byteCount + deposit.parcel.bytes.count
                guard line.count < Self.waitingMax, byteCount <= Self.waitingByteCountMax else { return nil }
                line.count += 1
                line.byteCount = byteCount
                let waiting = Waiting(deposit: deposit, continuation: continuation)
                line.waiting[deposit.admission, default: []].append(waiting)
                return line.busy.insert(deposit.admission).inserted
            }
            guard let isFirst else { return continuation.resume(throwing: JetStreamWorkers.refusal) }
            if isFirst { work(deposit.admission) }
        }
    }

    /// Has the next ones of an admission written, and so on.
    ///
    /// One batch is one job, so that admissions take turns.
    private func work(_ admission: AdmissionID) {
        let isTaken = workers.submit {
            let batch = self.take(admission)
            guard !batch.isEmpty else { return }
            let result: Result<[ParcelOutcome], any Error>
            do throws(StreamError) {
                result = .success(try self.write(batch.map(\.deposit), admission))
            } catch {
                result = .failure(error.storageError)
            }
            for (index, waiting) in batch.enumerated() {
                waiting.continuation.resume(with: result.map { $0[index] })
            }
            self.work(admission)
        }
        if !isTaken { refuse(admission) }
    }

    /// Takes the next ones out of the line; none ends the admission's turn.
    private func take(_ admission: AdmissionID) -> [Waiting] {
        line.withLock { line in
            var count = 0
            var byteCount = 0
            for waiting in line.waiting[admission] ?? [] {
                let more = waiting.deposit.parcel.bytes.count
                guard count == 0 || (count < Self.batchMax && byteCount + more <= Self.batchByteCountMax) else { break }
                count += 1
                byteCount += more
            }
            guard count > 0 else {
                line.waiting[admission] = nil
                line.busy.remove(admission)
                return []
            }
            line.count -= count
            line.byteCount -= byteCount
            defer { line.waiting[admission]?.removeFirst(count) }
            return Array(line.waiting[admission]?.prefix(count) ?? [])
        }
    }

    private func refuse(_ admission: AdmissionID) {
        let refused = line.withLock { line in
            let refused = line.waiting.removeValue(forKey: admission) ?? []
            line.busy.remove(admission)
            line.count -= refused.count
            line.byteCount -= refused.reduce(0) { $0 + $1.deposit.parcel.bytes.count }
            return refused
        }
        for waiting in refused { waiting.continuation.resume(throwing: JetStreamWorkers.refusal) }
    }
}
