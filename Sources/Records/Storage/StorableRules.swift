package import Wire

// The rules for values that a store accepts, whatever its implementation. A store that encodes its values could not
// read any others back, so every store checks these rules on the way in: a value that one store refuses, all refuse.
// They are the rules of codecs and columns, not those of the protocol: a signature, a hash or a right is checked where a
// value arrives. At the end of each function stand the rules that the value keeps about itself (`RowRules.swift`).

/// The limits of columns that no limit of the protocol keeps.
package enum StorableLimits {
    /// The largest number: columns of integers are signed.
    package static let numberMax = UInt64(Int64.max)
    /// Entries of a list of the store's own: dots of a record, logs that checkpoints cover.
    package static let listCountMax = 1 << 20
    /// Checkpoints that wait in one zone.
    package static let candidateCountMax = 1 << 16
    /// Payloads that one record names: as many assets as fit a body.
    package static let assetCountMax = Limits.bodyByteCountMax / AssetDescriptor.byteCountMin
    /// Bytes of a zone's tag key.
    package static let tagKeyByteCount = 32
}

extension SignedTreeHead {
    /// Makes sure that the head is one that decodes.
    fileprivate func requireStorable() throws(ReplicaError) {
        try require(head.seen.count <= Limits.actorCountMax, "a head that names too many logs")
        try require(head.seen.isWithinLimits, "a head that names a log of an impossible size")
        try require(bodyBytes.count <= Limits.treeHeadByteCountMax, "a head that is too long")
        try require((1...Limits.counterMax).contains(head.size), "a head of an impossible size")
    }
}

extension HeadRow {
    /// Makes sure that the head is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    /// - Complexity: O(logs that the head names).
    package func requireStorable() throws(ReplicaError) {
        try signed.requireStorable()
        try require(byteCount <= StorableLimits.numberMax, "a head after too many bytes")
        try requireValid()
    }
}

extension StoredItem {
    /// Makes sure that the item is one that decodes in its place.
    ///
    /// The hash of a body is not among the rules: it was checked when the operation arrived, and is checked when it is
    /// read.
    /// - Parameter key: The log that the item is stored in.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable(in key: LogKey) throws(ReplicaError) {
        switch content {
        case .operation(let stored):
            let operation = stored.operation
            try require(
                operation.header.vector.count <= Limits.actorCountMax,
                "an operation that has seen too many actors"
            )
            try require(operation.body.count <= Limits.bodyByteCountMax, "an operation that is too long")
            try require(
                (1...Limits.counterMax).contains(operation.header.counter),
                "an operation in an impossible place"
            )
            let batch = operation.header.batch
            try require(
                batch.index < batch.count && batch.count <= Limits.batchOperationCountMax,
                "an operation in an impossible batch"
            )
        case .gap(let gap):
            try require(gap.level <= Limits.subtreeLevelMax, "a gap that is too large")
        }
        try PlacedItem(self, in: key).requireValid()
    }
}

extension RecordRow {
    /// Makes sure that the record is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable() throws(ReplicaError) {
        // Pages of names begin behind the empty one.
        try require((1...Limits.nameByteCountMax).contains(name.utf8.count), "a record with an impossible name")
        try require(type.utf8.count <= Limits.nameByteCountMax, "a record whose type is too long")
        try require(body.count <= Limits.bodyByteCountMax, "a record that is too long")
        let names = anchors.map(\.utf8.count)
        try require(
            names.allSatisfy { (1...Limits.nameByteCountMax).contains($0) },
            "a record with an impossible reference"
        )
        try require(
            zip(anchors, anchors.dropFirst()).allSatisfy { $0.isBytewiseLess(than: $1) },
            "a record whose references are not in order, or not unique"
        )
        try require(
            zip(assets, assets.dropFirst()).allSatisfy { $0 < $1 },
            "a record whose assets are not in order, or not unique"
        )
        try require(assets.count <= StorableLimits.assetCountMax, "a record of too many assets")
        let counts = [anchors.count, live.count, vector.count, context.count]
        try require(counts.allSatisfy { $0 <= StorableLimits.listCountMax }, "a record of too many operations")
        try requireValid()
    }
}

extension LogRow {
    /// Makes sure that the log is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable() throws(ReplicaError) {
        try require(size <= Limits.counterMax, "a log of an impossible size")
        try require(byteCount <= StorableLimits.numberMax, "a log of too many bytes")
        try require((cut?.size ?? 0) <= Limits.counterMax, "a log that is cut at an impossible place")
        try require((hole ?? 0) <= Limits.counterMax, "a log with a hole in an impossible place")
        try require(role.isReadable, "a log in an impossible role")
        if let forkProof {
            for signed in [forkProof.first, forkProof.second] { try signed.requireStorable() }
            try require((try? ForkProof(decoding: forkProof.encoded)) == forkProof, "a log with an impossible fork")
        }
        try requireValid()
    }
}

extension ZoneRow {
    /// Makes sure that the zone is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    /// - Complexity: O(logs that its checkpoints and its watermark name).
    package func requireStorable() throws(ReplicaError) {
        for name in [genesis.container, genesis.name] {
            try require((1...Limits.nameByteCountMax).contains(name.utf8.count), "a zone with an impossible name")
        }
        try require(tagKey.count == StorableLimits.tagKeyByteCount, "a zone whose tag key has another length")
        try require(candidates.count <= StorableLimits.candidateCountMax, "a zone with too many checkpoints")
        try require(watermark.count <= StorableLimits.listCountMax, "a zone of too many final logs")
        try require(watermark.isWithinLimits, "a zone with a final log of an impossible size")
        try require(role.isReadable, "a zone in which the account has an impossible role")
        try require(keysDue <= StorableLimits.numberMax || keysDue == .max, "a zone whose keys are due too late")
        for checkpoint in candidates + [adopted].compactMap(\.self) {
            try require(checkpoint.logs.count <= Limits.logCountMax, "a checkpoint of too many logs")
            try require(
                checkpoint.lapsed.count <= Limits.lapsedDeviceCountMax,
                "a checkpoint of too many lapsed devices"
            )
            try require(checkpoint.isInOrder, "a checkpoint that names a log or device twice")
            try require(
                checkpoint.logs.allSatisfy { $0.size <= Limits.counterMax },
                "a checkpoint of a log of an impossible size"
            )
        }
        try requireValid()
    }
}

extension VersionVector {
    /// Whether a reader takes all counters.
    fileprivate var isWithinLimits: Bool { entries.allSatisfy { $0.counter <= Limits.counterMax } }
}

extension LogRole {
    /// Whether it decodes as what it is.
    fileprivate var isReadable: Bool { self == .owner || (try? LogRole(decoding: encoded)) == self }
}

extension Checkpoint {
    /// Whether logs and lapsed devices are strictly ascending.
    fileprivate var isInOrder: Bool {
        zip(logs, logs.dropFirst()).allSatisfy { $0.key < $1.key }
            && zip(lapsed, lapsed.dropFirst()).allSatisfy { $0 < $1 }
    }
}

private func require(_ condition: Bool, _ what: String) throws(ReplicaError) {
    guard condition else { throw .unstorable(what) }
}
