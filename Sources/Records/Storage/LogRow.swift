package import Wire

/// The replica's row of one log: where the log ends and how much of it is applied.
package struct LogRow: Equatable, Sendable {
    /// Zone, actor and lane.
    package var key: LogKey
    /// The device whose key signs the heads.
    package var device: DeviceID
    /// The device's incarnation; with `device` and `right` it determines `key.actor`.
    package var incarnation: Incarnation
    /// The right that the log is written under; zero for the account that the zone's genesis names.
    package var right: Hash
    /// The leaves held, stored durably: operations and gaps.
    package var size: UInt64
    /// Bytes of all items ever appended, for the spacing of heads and for budgets; pruning does not lessen it.
    package var byteCount: UInt64
    /// The right edge of the Merkle tree over the first `size` leaves.
    package var frontier: TreeFrontier
    /// The leaves whose operations are applied, `<= size`; those behind it are pending.
    package var appliedSize: UInt64
    /// The role in which the author speaks; of a control log also the size up to which it does.
    package var role: LogRole
    /// The place where the log ends for all replicas, since its device or its right was removed; nil if it has no
    /// end.
    package var cut: LogCut?
    /// Proof that the author signed two histories, and where they part; nil is the normal state.
    ///
    /// Of several proofs the one with the smallest fork point.
    package var forkProof: ForkProof?
    /// The place of a purged operation that is effective since its cut was raised: the log is announced up to here,
    /// until the operation arrives again.
    ///
    /// The operations behind it are held and wait. Nil is the normal state.
    package var hole: UInt64?

    /// An empty log of a device's incarnation.
    package init(
        key: LogKey,
        device: DeviceID,
        incarnation: Incarnation,
        right: Hash,
        size: UInt64 = 0,
        byteCount: UInt64 = 0,
        frontier: TreeFrontier = TreeFrontier(),
        appliedSize: UInt64 = 0,
        role: LogRole = .owner,
        cut: LogCut? = nil,
        forkProof: ForkProof? = nil,
        hole: UInt64? = nil
    ) {
        self.key = key
        self.device = device
        self.incarnation = incarnation
        self.right = right
        self.size = size
        self.byteCount = byteCount
        self.frontier = frontier
        self.appliedSize = appliedSize
        self.role = role
        self.cut = cut
        self.forkProof = forkProof
        self.hole = hole
    }

    /// True when two signed heads of this log contradict each other; it ends where its histories part.
    package var isForked: Bool { forkProof != nil }

    /// The leaves held without a hole: the size announced to peers, and from which more is requested.
    package var heldSize: UInt64 { min(size, hole ?? .max) }

    /// Whether the log is part of the digest: a control log is not as long as its right is void, or not known.
    ///
    /// A replica that holds a void grant ends the logs under it at zero; one that does not holds their control logs
    /// whole, and a grant above a cut is not sent any more. Both see no effect of them.
    package var isCompared: Bool { key.lane == .data || role.present != .unknown }
}

extension LogRow {
    /// An empty row for the log that a head speaks of.
    package init(_ head: TreeHead, key: LogKey, ruling: LogRuling = LogRuling()) {
        self.init(key: key, device: head.device, incarnation: head.incarnation, right: head.right)
        self.ruling = ruling
    }

    /// The ruling on the log, made outside of the replica.
    package var ruling: LogRuling {
        get { LogRuling(role: role, cut: cut) }
        set { (role, cut) = (newValue.role, newValue.cut) }
    }

    /// Whether everything appended at a size lies above the cut: then the head there stays, so that others are served
    /// up to it.
    func isCut(at size: UInt64) -> Bool {
        guard let cut else { return false }
        return size > 0 && size >= cut.size
    }

    /// Whether a head speaks of this log, as far as it names its author.
    func isNamed(by head: TreeHead) -> Bool {
        head.device == device && head.incarnation == incarnation && head.right == right
    }
}
