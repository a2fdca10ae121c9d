import Sync

/// The callers that wait for an eviction, or for the devices that hold a content.
///
/// Bounded by `SyncLimits.evictionCountMax` and `holderQuestionCountMax`: the core settles further requests at once, and all others in
/// seconds.
struct HolderCalls {
    private var evictions: [UInt64: CheckedContinuation<EvictionOutcome, Never>] = [:]
    private var questions: [UInt64: CheckedContinuation<[HolderAnswer], Never>] = [:]
    /// Whether nothing will be answered, because the service has ended.
    private(set) var isClosed = false
    private var last: UInt64 = 0

    /// A name that no other request has.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }

    /// Adds the caller that waits for an eviction.
    mutating func add(_ continuation: CheckedContinuation<EvictionOutcome, Never>, for order: UInt64) {
        evictions[order] = continuation
    }

    /// Adds the caller that waits for the holders of a content.
    mutating func add(_ continuation: CheckedContinuation<[HolderAnswer], Never>, for question: UInt64) {
        questions[question] = continuation
    }

    /// Resumes the caller that waits for an eviction, with the outcome.
    mutating func settle(_ order: UInt64, _ outcome: EvictionOutcome) {
        evictions.removeValue(forKey: order)?.resume(returning: outcome)
    }

    /// Resumes the caller that waits for the holders of a content, with their answers.
    mutating func settle(_ question: UInt64, _ answers: [HolderAnswer]) {
        questions.removeValue(forKey: question)?.resume(returning: answers)
    }

    /// Resumes all callers: the account has changed, and no answer will come.
    mutating func giveUp() {
        let (orders, questions) = (evictions, self.questions)
        (evictions, self.questions) = ([:], [:])
        for order in orders.keys.sorted() { orders[order]?.resume(returning: .withdrawn) }
        for question in questions.keys.sorted() { questions[question]?.resume(returning: []) }
    }

    /// Resumes all callers, and lets no other wait: the service ends.
    mutating func close() {
        isClosed = true
        giveUp()
    }
}
