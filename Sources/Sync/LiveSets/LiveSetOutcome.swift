package import Records

/// What became of a page of what lives under a peer's checkpoint.
package enum LiveSetOutcome: Equatable, Sendable {
    /// More pages are to come.
    case partial(LiveSetComparison)
    /// The whole list is the checkpoint's; so many operations went that it does not name.
    case settled(LiveSetComparison, goneCount: Int)
    /// Nothing came of it: it is not the checkpoint's list, or this replica has no use for it.
    case unusable
    /// Our storage failed: later.
    case storageFailed
}

extension LiveSetOutcome {
    /// What a commit says of it.
    package init(_ result: Result<CommitNotice, any Error>) {
        switch result {
        case .success(let notice): self = notice.liveSet ?? .unusable
        case .failure: self = .storageFailed
        }
    }
}
