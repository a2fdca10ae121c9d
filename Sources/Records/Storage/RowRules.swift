package import Wire

// The rules that rows of a replica keep, each once: see `Validated`. Those of `StorableRules.swift` are others: they say
// which values a store can read back, and are errors in all builds.

extension Validated {
    /// Makes sure, before a store keeps the value, that it is one which the store takes back.
    ///
    /// A broken rule is a mistake of this program: with assertions it ends here. Without them nothing of the transaction is kept, since
    /// the next reader would report the row as damage.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireValid() throws(ReplicaError) {
        guard let broken = brokenRule else { return }
        assertionFailure("\(Self.self): \(broken)")
        throw .unstorable(broken.rule)
    }
}

extension LogRow: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(appliedSize <= size, "the applied leaves of a log are held")
        try mustHold(frontier.size == size, "the edge of a log's tree is that of its size")
        try mustHold(size > 0 || byteCount == 0, "an empty log has no bytes")
        try mustHold(hole.map { $0 < size } ?? true, "the hole of a log lies among its leaves")
        if case .ended = role {
            try mustHold(key.lane == .control, "only a control log has an author whose role has ended")
        }
        guard let forkProof else { return }
        let heads = [forkProof.first.head, forkProof.second.head]
        try mustHold(
            heads.allSatisfy { isNamed(by: $0) && $0.zone == key.zone && $0.lane == key.lane },
            "the two heads of a fork are heads of its log"
        )
    }

    package func checkCostlyRules() throws(BrokenRule) {
        guard let forkProof else { return }
        try mustHold(forkProof.isValid, "the proof of a fork is valid")
    }
}

extension HeadRow: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(frontier.size == size, "the edge beside a head is that of the head's size")
    }

    package func checkCostlyRules() throws(BrokenRule) {
        try mustHold(frontier.root == signed.head.root, "the edge beside a head leads to the head's root")
    }
}

extension ZoneRow: Validated {
    package func checkRules() throws(BrokenRule) {
        switch role {
        case .owner, .unknown: break
        case .participant: try mustHold(!right.isZero, "a participant writes under a right")
        case .ended: try mustHold(false, "the role of an account in a zone is a present one")
        }
        if case .deleted = state {
            try mustHold(genesis.partner == nil, "neither account of a pair deletes its zone")
        }
    }

    package func checkCostlyRules() throws(BrokenRule) {
        try mustHold(candidates.count <= ReplicaLimits.candidateCountMax, "few checkpoints of a zone wait")
        try mustHold(Set(candidates.map(\.hash)).count == candidates.count, "a checkpoint waits once")
        guard let adopted else { return }
        try mustHold(
            !candidates.contains { adopted.dominates($0) },
            "no checkpoint waits that the adopted one covers"
        )
    }
}

extension RecordRow: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(zip(live, live.dropFirst()).allSatisfy { $0 < $1 }, "live operations are ascending, each once")
        try mustHold(live.allSatisfy { context.covers($0) }, "the context of a record covers its live operations")
        try mustHold(isLocked || context.covers(vector), "the context of a record covers the visible state")
        try mustHold(isDeleted || !vector.isEmpty, "a visible record is the state that some operation left")
        try mustHold(
            vector.isEmpty || vector.covers(creation),
            "a state includes the operation that created its record"
        )
        try mustHold(!isDeleted || anchors.isEmpty, "a deleted record is deleted with no other one")
        try mustHold(!isDeleted || assets.isEmpty, "a deleted record has no assets")
    }

    package func checkCostlyRules() throws(BrokenRule) {
        try mustHold(version == RecordVersion(vector), "the version of a record is that of its state")
        guard let content = try? content() else { throw BrokenRule("the body of a record is that of a record") }
        try mustHold(content.isDeleted == isDeleted, "a record is deleted where its body says so")
        try mustHold(
            content.name.isBytewiseEqual(to: name) && content.type.isBytewiseEqual(to: type),
            "a record has the name and the type that are in its body"
        )
        try mustHold(content.anchors == anchors, "a record is deleted with those that its body names")
        try mustHold(content.assets.map(\.payload) == assets, "the assets of a record are those in its body")
    }
}

/// An item in the log that it is stored in.
package struct PlacedItem: Validated {
    private let item: StoredItem
    private let key: LogKey

    /// Looks at an item.
    /// - Parameters:
    ///   - item: The item.
    ///   - key: Its log.
    package init(_ item: StoredItem, in key: LogKey) {
        (self.item, self.key) = (item, key)
    }

    package func checkRules() throws(BrokenRule) {
        let stored: StoredOperation
        switch item.content {
        case .gap(let gap):
            try mustHold(item.first == gap.firstLeaf, "a gap begins at the first of its leaves")
            return
        case .operation(let operation): stored = operation
        }
        let header = stored.operation.header
        try mustHold(stored.actor == key.actor, "an operation is stored in the log of its actor")
        try mustHold(item.first &+ 1 == header.counter, "an operation is stored in the place that its header names")
        try mustHold(header.vector[key.actor] == header.counter, "an operation has seen its own log up to itself")
        try mustHold(header.vector.covers(header.creation), "an operation has seen the creation of its record")
        guard key.lane == .control else { return }
        try mustHold(header.tag.isZero && header.epoch.isZero, "a control operation is in clear, and of no record")
        try mustHold(!stored.isTombstone, "no control operation deletes a record")
        switch stored.state {
        case .pending, .live, .quarantined, .restated: break
        case .superseded, .void:
            try mustHold(false, "a control operation waits, is effective, or is above the end of its log")
        }
    }

    package func checkCostlyRules() throws(BrokenRule) {
        guard case .operation(let stored) = item.content else { return }
        let operation = stored.operation
        try mustHold(operation.header.bodyHash == Operation.bodyHash(operation.body), "a header names its body")
        guard key.lane == .data, operation.header.epoch.isZero else { return }
        guard let body = try? operation.clearBody() else { throw BrokenRule("a body in clear is that of a record") }
        try mustHold(body.isDeleted == stored.isTombstone, "an operation is a tombstone where its body says so")
    }
}
