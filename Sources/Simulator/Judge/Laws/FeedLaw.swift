import Sync
import Wire

/// The law that a change feed is exact, also through crashes, and that a token expires only with
/// the store's lifetime.
struct FeedLaw {
    private let evidence: Evidence
    /// The readers of the nodes' feeds.
    private var followers: [FeedFollower.Key: FeedFollower] = [:]

    init(_ evidence: Evidence) { self.evidence = evidence }

    /// Takes note that a node's disk was rolled back, lost or copied.
    mutating func disturbed(_ node: SimulatedNode) {
        for key in followers.keys where key.node == node.index { followers[key]?.isExcused = true }
    }

    /// Checks a page that an application has read.
    /// - Parameters:
    ///   - page: The page.
    ///   - view: The view that was read.
    ///   - token: The token with which the application asked; `nil` for none.
    ///   - taken: The number of entries that it kept.
    ///   - node: The node.
    /// - Throws: ``Violation``.
    mutating func read(
        _ page: FeedPage,
        of view: FeedView,
        since token: String?,
        taken: Int,
        from node: SimulatedNode
    ) throws {
        evidence.checkCount += 1
        let key = FeedFollower.Key(node: node.index, view: view)
        let incarnation = try node.store?.incarnation()
        var follower = followers[key] ?? FeedFollower(view)
        // Where nothing shows that the disk was rolled back, its positions are given out twice: no program can notice
        // that.
        let isLost = follower.isExcused && follower.lifetime == incarnation
        if token == nil || isLost { follower = FeedFollower(view) }
        follower.lifetime = incarnation
        guard !isLost || token == nil else {
            followers[key] = nil
            return
        }
        guard token == follower.token?.text(of: view) else { return }
        if let fault = try follower.take(page, taken: taken, from: node) {
            throw Violation(.causality, at: node, "the feed is not exact: \(fault)")
        }
        followers[key] = follower
    }

    /// Checks that a token that a node gave out, and no longer knows, is of an earlier lifetime of
    /// its store.
    /// - Throws: ``Violation`` when nothing happened to the store that would explain it.
    mutating func expired(_ view: FeedView, on node: SimulatedNode) throws {
        let follower = followers.removeValue(forKey: FeedFollower.Key(node: node.index, view: view))
        guard let follower, !evidence.disturbedNodes.contains(node.index),
            try follower.lifetime == node.store?.incarnation()
        else { return }
        throw Violation(.causality, at: node, "a feed token expired without a reason")
    }
}
