package import Records

/// The outcome of a page of the live set under a peer's checkpoint.
package enum LiveSetOutcome: Equatable, Sendable {
    /// More pages are to come.
    case partial(LiveSetComparison)
    /// The whole list is the checkpoint's; `goneCount` operations that it does not name were removed.
    case settled(LiveSetComparison, goneCount: Int)
    /// The page had no effect: it is not of the checkpoint's list, or this replica has no use for it.
    case unusable
    /// Our storage failed; another attempt follows later.
    case storageFailed
}
