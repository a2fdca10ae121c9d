import Sodium
import Wire

/// The state of ``RunVerifier`` while it goes through the items behind the edge.
struct RunWalk {
    private let head: TreeHead
    private let key: LogKey
    private let gapLimit: UInt64
    private let end: UInt64
    private let from: UInt64
    /// All that the head claims to have seen, with the log itself.
    private let claimed: VersionVector
    private var frontier: TreeFrontier
    private var items: [(first: UInt64, item: VerifiedItem)] = []
    private var byteCount: UInt64 = 0
    private var hasGaps = false
    private var batch = BatchState.closed
    /// The first operation that had seen more than the head claims.
    private var unseen: UInt64?

    /// The batch place that may come next.
    private enum BatchState {
        /// The first place of a batch.
        case closed
        /// The place behind this one.
        case open(BatchPlace)
        /// Any: the places before it are in a gap.
        case unknown
    }

    init(head: TreeHead, key: LogKey, frontier: TreeFrontier, gapLimit: UInt64, end: UInt64) {
        self.head = head
        self.key = key
        self.gapLimit = gapLimit
        self.end = end
        self.frontier = frontier
        from = frontier.size
        var claimed = head.seen
        claimed[key.actor] = head.size
        self.claimed = claimed
    }

    /// Checks one item that lies behind the edge.
    mutating func take(_ item: LogItem, at leaf: UInt64, tagKey: borrowing SymmetricKey) throws(RunError) {
        switch item {
        case .operation(let operation):
            let header = operation.header
            try checkHeader(header, counter: leaf &+ 1)
            try advance(header.batch, counter: header.counter)
            guard header.bodyHash == Operation.bodyHash(operation.body) else {
                throw .invalidOperation(counter: header.counter, .bodyHash)
            }
            assert(frontier.size == leaf, "an operation is taken at the end of the edge")
            frontier.append(header.leafHash)
            byteCount &+= operation.byteCount
            items.append((leaf, try decoded(operation, tagKey: tagKey)))
        case .gap(let gap):
            guard gap.firstLeaf == leaf, frontier.append(subtree: gap.hash, level: gap.level) else {
                throw .badCoverage(leaf: leaf)
            }
            // No operation above a cut is effective, so operations that were purged there, or pruned by their author
            // alone, are missing under no checkpoint. A gap is no longer than the part that is kept there, since code
            // that visits the log page by page visits its gaps.
            let isForgotten = gap.endLeaf > gapLimit && gap.endLeaf &- end <= ReplicaLimits.depositOperationCountMax
            let isUncounted = leaf >= end && (gap.level == 0 || isForgotten)
            guard gap.endLeaf <= gapLimit || isUncounted else { throw .gapNotCovered(leaf: leaf) }
            if !isUncounted { hasGaps = true }
            batch = .unknown
            byteCount &+= 64
            items.append((leaf, .gap(gap)))
        }
    }

    /// Checks the rules that only the whole run shows.
    consuming func finish(_ signedHead: SignedTreeHead) throws(RunError) -> VerifiedRun {
        assert(frontier.size == head.size, "the items of a run were taken up to its head")
        assert(items.first?.first == from, "the first item that was taken continues the log")
        if case .open = batch { throw .splitBatch(counter: head.size) }
        guard byteCount <= UInt64(Limits.runByteCountMax) &* 2 else { throw .tooLarge }
        guard frontier.root == head.root else { throw .rootMismatch }
        // Checked last: now it is certain that the author signed both, so that the sender may be honest.
        if let unseen { throw .invalidOperation(counter: unseen, .unseenEntry) }
        return VerifiedRun(
            key: key,
            signedHead: signedHead,
            from: from,
            items: items,
            frontier: frontier,
            byteCount: byteCount,
            hasGaps: hasGaps
        )
    }

    private mutating func checkHeader(_ header: OperationHeader, counter: UInt64) throws(RunError) {
        func require(_ condition: Bool, _ rule: OperationRule) throws(RunError) {
            guard condition else { throw .invalidOperation(counter: counter, rule) }
        }
        try require(header.counter == counter, .counter)
        try require(header.vector[key.actor] == counter, .ownEntry)
        try require(header.vector.covers(header.creation), .creation)
        try require(header.epoch.isZero || key.lane == .data, .sealed)
        if unseen == nil, !claimed.covers(header.vector) { unseen = counter }
    }

    private mutating func advance(_ place: BatchPlace, counter: UInt64) throws(RunError) {
        let isNext =
            switch batch {
            case .closed: place.index == 0
            case .open(let last): place.count == last.count && place.index == last.index &+ 1
            case .unknown: true
            }
        guard isNext, place.count >= 1, place.index < place.count else {
            throw .invalidOperation(counter: counter, .batch)
        }
        batch = place.isLast ? .closed : .open(place)
    }

    // MARK: Bodies

    private func decoded(_ operation: Operation, tagKey: borrowing SymmetricKey) throws(RunError) -> VerifiedItem {
        let header = operation.header
        switch key.lane {
        case .control:
            guard header.tag.isZero else { throw .invalidOperation(counter: header.counter, .tag) }
            guard header.creation == Dot(actor: key.actor, counter: header.counter) else {
                throw .invalidOperation(counter: header.counter, .creation)
            }
            do {
                return .control(operation, try ControlBody(decoding: operation.body))
            } catch {
                throw .invalidOperation(counter: header.counter, .body(error))
            }
        case .data:
            let body: RecordBody?
            do {
                if header.epoch.isZero {
                    body = try RecordBody(decoding: operation.body)
                } else {
                    // Only a holder of the key can read the body, so the rules for its content cannot decide about
                    // the run.
                    _ = try SealedBody(decoding: operation.body)
                    body = nil
                }
            } catch {
                throw .invalidOperation(counter: header.counter, .body(error))
            }
            if let rule = body?.brokenRule(header, actor: key.actor, device: head.device, tagKey: tagKey) {
                throw .invalidOperation(counter: header.counter, rule)
            }
            return .record(operation, body)
        }
    }
}
