package import Sodium
package import Wire

/// Checks a run against the edge of the log it continues.
///
/// Everything that can be decided from the run, the edge and the zone's tag key is decided here, so that replicas agree
/// on it regardless of their other data: signature, coverage, leaf hashes, batches, counters, vectors, bodies, root.
/// The decisions that depend on other logs (is enough held to apply it?) are left to ``RunReceiver``.
package struct RunVerifier: ~Copyable {
    /// The log.
    package let key: LogKey
    /// The device whose key must have signed.
    package let device: DeviceID
    /// The device's incarnation.
    package let incarnation: Incarnation
    /// The right that the log is written under.
    package let right: Hash
    /// The edge of the log as held here.
    package let frontier: TreeFrontier
    /// The size of this log that the run's checkpoint covers: leaves below it may be missing as gaps.
    package let gapLimit: UInt64
    /// The size at which the log is cut: leaves behind it have no effect, and may be missing under no checkpoint as
    /// well.
    package let end: UInt64
    private let tagKey: SymmetricKey

    /// Prepares the check of one log's runs.
    /// - Parameters:
    ///   - key: The log; `key.actor` must be the actor of device, incarnation and right.
    ///   - device: The device whose key must have signed.
    ///   - incarnation: The device's incarnation.
    ///   - right: The right that the log is written under.
    ///   - frontier: The edge of the log as held here.
    ///   - gapLimit: The number of leaves that the run's checkpoint covers; zero for none.
    ///   - end: The size at which the log is cut.
    ///   - tagKey: The zone's tag key.
    package init(
        key: LogKey,
        device: DeviceID,
        incarnation: Incarnation,
        right: Hash,
        frontier: TreeFrontier,
        gapLimit: UInt64,
        end: UInt64 = .max,
        tagKey: consuming SymmetricKey
    ) {
        self.key = key
        self.device = device
        self.incarnation = incarnation
        self.right = right
        self.frontier = frontier
        self.gapLimit = gapLimit
        self.end = end
        self.tagKey = tagKey
    }

    /// Checks a run.
    /// - Parameter run: The run as decoded from a peer's bytes.
    /// - Returns: The verified part of the run behind the edge.
    /// - Throws: `RunError`; nothing of the run may then be kept.
    /// - Complexity: O(bytes of the run), one signature check.
    package func verify(_ run: Run) throws(RunError) -> VerifiedRun {
        let head = run.signedHead.head
        try verifyHead(run.signedHead)
        guard run.from <= frontier.size else { throw .misplaced(held: frontier.size) }
        guard head.size > frontier.size else { throw .alreadyHeld(size: frontier.size) }
        guard run.items.count <= Limits.runItemCountMax else { throw .tooLarge }
        var walk = RunWalk(head: head, key: key, frontier: frontier, gapLimit: gapLimit, end: end)
        var leaf = run.from
        for item in run.items {
            let end = leaf &+ item.leafCount
            guard end <= head.size, end > leaf else { throw .badCoverage(leaf: leaf) }
            if end > frontier.size {
                guard leaf >= frontier.size else { throw .forgotten(held: frontier.size) }
                try walk.take(item, at: leaf, tagKey: tagKey)
            }
            leaf = end
        }
        guard leaf == head.size else { throw .badCoverage(leaf: leaf) }
        return try walk.finish(run.signedHead)
    }

    /// Checks that a head speaks of this log and is signed by its device.
    /// - Throws: `.wrongLog`, `.badSignature`.
    package func verifyHead(_ signed: SignedTreeHead) throws(RunError) {
        let head = signed.head
        guard
            head.zone == key.zone, head.lane == key.lane, head.device == device, head.incarnation == incarnation,
            head.right == right
        else { throw .wrongLog }
        guard signed.hasValidSignature else { throw .badSignature }
    }
}

extension SignedTreeHead {
    /// Whether the head's device signed exactly the bytes that were received.
    package var hasValidSignature: Bool {
        // Neither can fail on 32 and 64 bytes; if they did, the signature would not be valid.
        guard
            let key = try? VerifyingKey(bytes: head.device.bytes),
            let signature = try? Signature(bytes: signature.bytes)
        else { return false }
        return key.isValid(signature, over: bodyBytes, context: .treeHead)
    }
}
