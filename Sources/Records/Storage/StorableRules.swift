import Wire

// The rules for values that a store accepts, whatever its implementation. A store that encodes its values could not
// read any others back, so every store checks these rules on the way in: a value that one store refuses, all refuse.

extension HeadRow {
    /// Makes sure that the head is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable() throws(ReplicaError) {
        let head = signed.head
        try require(head.seen.count <= Limits.actorCountMax, "a head that names too many logs")
        try require(signed.headBytes.count <= Limits.treeHeadByteCountMax, "a head that is too long")
        try require((1...Limits.counterMax).contains(head.size), "a head of an impossible size")
    }
}

extension StoredItem {
    /// Makes sure that the item is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable() throws(ReplicaError) {
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
        case .gap(let gap):
            try require(gap.level <= Limits.subtreeLevelMax, "a gap that is too large")
        }
    }
}

extension RecordRow {
    /// Makes sure that the record is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable() throws(ReplicaError) {
        try require(name.utf8.count <= Limits.nameByteCountMax, "a record whose name is too long")
        try require(type.utf8.count <= Limits.nameByteCountMax, "a record whose type is too long")
        try require(body.count <= Limits.bodyByteCountMax, "a record that is too long")
        let names = anchors.map(\.utf8.count)
        try require(
            names.allSatisfy { (1...Limits.nameByteCountMax).contains($0) },
            "a record with an impossible reference"
        )
    }
}

extension LogRow {
    /// Makes sure that the log is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable() throws(ReplicaError) {
        try require(size <= Limits.counterMax && appliedSize <= size, "a log of an impossible size")
        guard let forkProof else { return }
        for signed in [forkProof.first, forkProof.second] {
            try HeadRow(signed: signed, byteCount: 0, frontier: TreeFrontier()).requireStorable()
        }
    }
}

extension ZoneRow {
    /// Makes sure that the zone is one that decodes.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable() throws(ReplicaError) {
        for name in [genesis.container, genesis.name] {
            try require((1...Limits.nameByteCountMax).contains(name.utf8.count), "a zone with an impossible name")
        }
        for checkpoint in candidates + [adopted].compactMap(\.self) {
            try require(checkpoint.logs.count <= Limits.logCountMax, "a checkpoint of too many logs")
            try require(
                checkpoint.lapsed.count <= Limits.lapsedDeviceCountMax,
                "a checkpoint of too many lapsed devices"
            )
        }
    }
}

private func require(_ condition: Bool, _ what: String) throws(ReplicaError) {
    guard condition else { throw .unstorable(what) }
}
