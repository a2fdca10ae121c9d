/// The outcome of keeping a part of a payload.
package enum PayloadOutcome: Hashable, Sendable {
    /// The outline is durable, and these chunks are to be asked for.
    case outlined(missing: [UInt64])
    /// The chunk is durable.
    case kept
    /// Nothing is missing any more.
    case complete
    /// This device does not want the payload (any more), or cannot open it by its message.
    case unwanted
    /// The part does not match the payload's id, or its outline.
    case mismatch
    /// There is no room; another attempt follows later.
    case storageFull
    /// Our storage failed otherwise; another attempt follows later.
    case storageFailed
}

extension PayloadOutcome {
    /// Makes the outcome from the result of a commit, or the error of its transaction.
    package init(_ result: Result<PayloadOutcome, any Error>) {
        switch result {
        case .success(let outcome): self = outcome
        case .failure(let error as StorageError) where error.code == .diskFull: self = .storageFull
        case .failure: self = .storageFailed
        }
    }
}
