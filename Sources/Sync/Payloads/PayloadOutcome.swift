/// What became of a part of a payload that was to be kept.
package enum PayloadOutcome: Hashable, Sendable {
    /// The outline is durable, and these chunks are to be asked for.
    case outlined(missing: [UInt64])
    /// The chunk is durable.
    case kept
    /// Nothing is missing any more.
    case complete
    /// Nobody here wants the payload (any more), or it cannot be opened with what its message says.
    case unwanted
    /// It is not what the payload's id, or its outline, says.
    case mismatch
    /// There is no room: later.
    case storageFull
    /// Our storage failed otherwise: later.
    case storageFailed
}

extension PayloadOutcome {
    /// What a commit says of it.
    package init(_ result: Result<CommitNotice, any Error>) {
        switch result {
        case .success(let notice): self = notice.payload ?? .unwanted
        case .failure(let error as StorageError) where error.code == .diskFull: self = .storageFull
        case .failure: self = .storageFailed
        }
    }
}
