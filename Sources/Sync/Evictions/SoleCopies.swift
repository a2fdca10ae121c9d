import Wire

/// A look for contents that are on this device alone, some at a time.
///
/// A content counts when it has been known for a day, a record of a live zone names it, no relay keeps it, and every other device that was
/// met in the last week has stated that it does not hold it. Without such a device nothing is known, and none counts.
package struct SoleCopies: Hashable, Sendable {
    /// Contents that one step looks at.
    package static let stepCount = 2_000
    /// The age of a content that counts: a day, in which other devices fetch it.
    package static let ageMilliseconds: UInt64 = 24 * 60 * 60 * 1_000
    /// The time since which a device was met whose statement is waited for: a week.
    package static let metMilliseconds: UInt64 = 7 * 24 * 60 * 60 * 1_000

    /// The number of contents that were found.
    package private(set) var count = 0
    /// Their bytes.
    package private(set) var byteCount: UInt64 = 0
    private var number: UInt64 = 0

    /// Begins a look at all contents.
    package init() {}

    /// Looks at some further contents.
    /// - Parameters:
    ///   - committer: The account and the time.
    ///   - transaction: The store.
    /// - Returns: Whether all contents have been looked at.
    /// - Throws: Any error of the store.
    /// - Complexity: O(``stepCount`` · devices of the account).
    package mutating func step(_ committer: Committer, in transaction: some NodeTransaction) throws -> Bool {
        let (holders, now) = (Holders(committer), committer.soberMilliseconds)
        let met = try transaction.peers().filter {
            holders.mayHold($0.device) && $0.lastSeenMilliseconds &+ Self.metMilliseconds > now
        }
        guard !met.isEmpty else { return true }
        let devices = Set(met.map(\.device))
        let assets = try transaction.presentAssets(after: number, limit: Self.stepCount)
        for asset in assets {
            number = asset.number
            guard asset.begun &+ Self.ageMilliseconds <= now else { continue }
            let rows = try transaction.holders(of: asset.id).filter { holders.mayHold($0.device) }
            guard !rows.contains(where: \.holds), devices.isSubset(of: rows.map(\.device)),
                try transaction.isNamed(asset.id),
                try Custody(committer).promises(about: asset.id, in: transaction).isEmpty
            else { continue }
            count += 1
            byteCount &+= asset.byteCount
        }
        return assets.count < Self.stepCount
    }
}
