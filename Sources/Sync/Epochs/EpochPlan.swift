import Wire

/// The epoch under which a device writes, and the statements by which all accounts with the right to read can read.
///
/// It is a function of the control log, of the readers, and of the keys that are open here.
struct EpochPlan {
    /// A statement to make.
    enum Step: Equatable {
        /// Repeats the operation that begins an existing epoch, because it lies above the end of its log.
        case sayAgain(Hash)
        /// Begins a new epoch behind these, with the keys of those in the chain.
        case begin(previous: [Hash], chain: [Hash])
        /// Delivers the key of an existing epoch to devices that lack it, ascending.
        case deliver(Hash, to: [DeviceID])
        /// Discloses the key of an epoch to everyone.
        case disclose(Hash)
    }

    /// The epoch to write under; `nil` while there is none that only members can read.
    let current: Hash?
    /// The statements to make, in order; none when every device has the keys that it is to have.
    let steps: [Step]
    /// The epochs whose keys this device asks for, ascending: other devices assume that it has them.
    let requests: [Hash]

    /// Makes a plan.
    /// - Parameters:
    ///   - facts: The facts about the zone's epochs and readers.
    ///   - isDue: Whether the epoch to write under has been written under for long enough.
    init(_ facts: EpochFacts, isDue: Bool = false) {
        requests = Self.requests(facts)
        let best = Self.best(facts)
        current = best?.key
        var draft = EpochDraft(facts)
        let again = Self.unsaid(facts.graph, isOpen: facts.isOpen).map { Step.sayAgain($0) }
        if let best, !isDue, !draft.hasNewcomers(to: best) {
            steps = again + draft.deliveries(beside: best)
        } else {
            steps = again + [draft.beginning()]
        }
    }

    /// The epoch to write under: of those that can be used the one with the most epochs before it, of several the one with the
    /// smallest hash.
    ///
    /// Epochs are asked in that order, beginning with those to which no chain leads. With the key of one comes that
    /// of each to which its chain leads: where a device that is no reader has it, these need not be asked.
    /// - Complexity: O(epochs to which no chain leads · log), and O(readers) for each that is asked.
    private static func best(_ facts: EpochFacts) -> (key: Hash, value: EpochGraph.Epoch)? {
        let graph = facts.graph
        func isBefore(_ left: (depth: Int, hash: Hash), _ right: (depth: Int, hash: Hash)) -> Bool {
            left.depth == right.depth ? left.hash > right.hash : left.depth < right.depth
        }
        var queue = graph.heads.compactMap { hash in graph.epochs[hash].map { (depth: $0.depth, hash: hash) } }
        queue.sort(by: isBefore)
        var seen = graph.heads
        while let (_, hash) = queue.popLast() {
            guard let epoch = graph.epochs[hash] else { continue }
            if epoch.readers.contains(where: { facts.readers[$0] == nil }) { continue }
            if facts.isUsable(hash), facts.counts(hash), !epoch.isExposed { return (hash, epoch) }
            for link in epoch.content.chain where seen.insert(link.epoch).inserted {
                guard let earlier = graph.epochs[link.epoch] else { continue }
                let next = (depth: earlier.depth, hash: link.epoch)
                queue.insert(next, at: queue.firstIndex { isBefore(next, $0) } ?? queue.count)
            }
        }
        return nil
    }

    /// The epochs whose keys are open here, and of which no further device will learn: a device that has not learnt
    /// of them may remove the one that began them, and that one's log ends below them then.
    /// - Returns: Each behind those that it follows.
    static func unsaid(_ graph: EpochGraph, isOpen: (Hash) -> Bool) -> [Hash] {
        graph.unsaid.filter(isOpen).sorted { left, right in
            let (one, other) = (graph.epochs[left]?.depth ?? 0, graph.epochs[right]?.depth ?? 0)
            return one == other ? left < right : one < other
        }
    }

    /// The epochs whose keys a device has to ask for: by others' claims it has them, and it has seen all of the
    /// claims.
    ///
    /// Where the key of a later one would lead to that of an earlier one, the later one alone is asked for.
    /// - Returns: Ascending, at most `Limits.keyRequestCountMax`.
    /// - Complexity: O(epochs), and the cost of `EpochGraph.claims` for each that the device lacks despite a claim.
    private static func requests(_ facts: EpochFacts) -> [Hash] {
        let graph = facts.graph
        let lacked = graph.epochs.filter { $0.value.supplied.contains(facts.device) && !facts.isOpen($0.key) }
        let following = Set(lacked.values.flatMap { $0.content.chain.map(\.epoch) })
        let asked = lacked.keys.filter { hash in
            !following.contains(hash)
                && graph.claims(of: hash, for: facts.device).allSatisfy { sayings in
                    sayings.contains { facts.hasSeen(VersionVector(covering: [$0])) }
                }
        }
        return Array(asked.sorted().prefix(Limits.keyRequestCountMax))
    }

    /// The steps in a zone that everyone may read: newcomers read records that were sealed before it was opened, and
    /// by devices that had not learnt of that.
    /// - Complexity: O(epochs that are not exposed · log, and the chains of those that are open here).
    static func publicSteps(
        _ graph: EpochGraph,
        isOpen: (Hash) -> Bool,
        isApplied: (EpochGraph.Epoch) -> Bool
    ) -> [Step] {
        let again = unsaid(graph, isOpen: isOpen).map { Step.sayAgain($0) }
        // The last ones first: one key is enough for all that its chain leads to.
        let hidden = graph.unexposed.filter { isOpen($0) && graph.epochs[$0].map(isApplied) ?? false }.sorted {
            left,
            right in
            let (one, other) = (graph.epochs[left]?.depth ?? 0, graph.epochs[right]?.depth ?? 0)
            return one == other ? left < right : one > other
        }
        var reached: Set<Hash> = []
        return again
            + hidden.compactMap { hash in
                if reached.contains(hash) { return nil }
                reached.formUnion(graph.chained(from: hash))
                return .disclose(hash)
            }
    }
}
