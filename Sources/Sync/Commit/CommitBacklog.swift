/// The jobs that wait for a transaction, and the decision which of them share the next one.
///
/// While one transaction is under way, further jobs gather; the next one takes them all, up to a bound, so that they share one sync of the
/// disk. Jobs run in the order in which they were added. A patient job makes no transaction necessary: it joins the next one, or has one after
/// ``patienceMilliseconds``, or when as many wait as one takes. So a peer that causes patient jobs cannot fill the backlog with them.
///
/// Overflow policy: when ``waitingCountMax`` jobs wait, another one is refused, and nothing is dropped.
package struct CommitBacklog<Job> {
    /// The answer to a job.
    package enum Admission: Sendable {
        /// Too many wait.
        case refused
        /// A transaction is due now.
        case due
        /// ``patienceEnded()`` is to be called after ``patienceMilliseconds``.
        case timed
        /// The job joins a transaction that is due, or one for which the time of another patient job runs.
        case joined
    }

    /// Jobs that may wait.
    package static var waitingCountMax: Int { 65_536 }
    /// Jobs taken into one transaction: bounds how long one transaction holds the others up.
    package static var groupCountMax: Int { 2_048 }
    /// The time after which a patient job has a transaction, in milliseconds.
    package static var patienceMilliseconds: UInt64 { 1_000 }

    private var waiting: [Job] = []
    /// Jobs of a group that failed as a whole, each of which has a transaction of its own.
    private var singles: [Job] = []
    /// Whether a job waits that is not patient, or one whose patience has ended.
    private var isPressing = false
    private var isTimed = false

    /// Makes an empty backlog.
    package init() {}

    /// The number of jobs that wait.
    package var count: Int { waiting.count + singles.count }

    /// Whether a job waits that does not wait for another one.
    package var isDue: Bool { isPressing || !singles.isEmpty }

    /// Whether a job is refused.
    package var isFull: Bool { waiting.count >= Self.waitingCountMax }

    /// Adds a job.
    /// - Parameters:
    ///   - job: The job.
    ///   - isPatient: Whether it may wait for another one.
    /// - Returns: The answer; a refused job is not kept.
    package mutating func add(_ job: Job, isPatient: Bool) -> Admission {
        guard !isFull else { return .refused }
        waiting.append(job)
        guard isPatient, waiting.count < Self.groupCountMax else {
            isPressing = true
            return .due
        }
        guard !isPressing, !isTimed else { return .joined }
        isTimed = true
        return .timed
    }

    /// Notes that a patient job has waited long enough.
    /// - Returns: Whether a transaction is due.
    package mutating func patienceEnded() -> Bool {
        isTimed = false
        if !waiting.isEmpty { isPressing = true }
        return isPressing
    }

    /// Makes a transaction due for all that wait.
    package mutating func hurry() {
        isPressing = !waiting.isEmpty
    }

    /// Takes the jobs of the next transaction.
    /// - Returns: `nil` while no transaction is due.
    package mutating func next() -> [Job]? {
        if !singles.isEmpty { return [singles.removeFirst()] }
        guard isPressing else { return nil }
        let group = Array(waiting.prefix(Self.groupCountMax))
        waiting.removeFirst(group.count)
        isPressing = !waiting.isEmpty
        assert(!group.isEmpty, "a transaction is due for a job")
        return group
    }

    /// Decides about the jobs of a transaction that failed: one of them may be the cause, and then each has a transaction of its own.
    /// - Parameters:
    ///   - group: The jobs.
    ///   - error: The error of the transaction.
    /// - Returns: Whether they are tried again; otherwise they have failed.
    package mutating func retries(_ group: [Job], after error: any Error) -> Bool {
        guard group.count > 1, StorageError.mayBeOneJobsFault(error) else { return false }
        singles = group + singles
        return true
    }
}

extension StorageError {
    /// Whether the failure of a transaction may be due to one of its jobs, so that smaller transactions fare better: not when the disk is full
    /// or the store closed.
    package static func mayBeOneJobsFault(_ error: any Error) -> Bool {
        guard let error = error as? StorageError else { return true }
        switch error.code {
        case .diskFull, .closed, .locked, .otherFormat, .inaccessible, .displaced: return false
        case .inputOutput, .corrupt, .misuse, .payloadsMissing: return true
        }
    }
}
