package import Records
import Sodium
package import Wire

extension TreeFrontier {
    /// Some edge of a tree with so many leaves.
    /// - Parameter leafCount: The leaves, at most `Limits.counterMax`.
    package init(leafCount: UInt64) {
        self.init()
        for level in (0...Limits.subtreeLevelMax).reversed() where leafCount & 1 << UInt64(level) != 0 {
            _ = append(subtree: Hash(digesting: .treeNode, [level]), level: level)
        }
    }
}

extension ReplicaTransaction {
    /// Makes the test zone known.
    package mutating func createTestZone() throws {
        if let key = TestZone.epochKey { keyring.insert(key, for: TestZone.epoch) }
        try self.createZone(TestZone.id, genesis: TestZone.genesis, tagKey: TestZone.tagKey)
    }

    /// Commits writes in the test zone.
    /// - Throws: An error of the replica.
    @discardableResult
    package mutating func commit(
        _ writes: [RecordWrite],
        isAtomic: Bool = false,
        by author: TestAuthor,
        at milliseconds: UInt64 = 1_000
    ) throws -> Commit {
        try LocalWrites(zone: TestZone.id, author: author.author, wallMilliseconds: milliseconds, sign: author.sign)
            .commit(writes: writes, isAtomic: isAtomic, in: &self)
    }

    /// Commits an operation in the control lane of the test zone.
    /// - Returns: The head of the author's control log.
    /// - Throws: An error of the replica.
    @discardableResult
    package mutating func commit(
        _ body: ControlBody,
        by author: TestAuthor,
        at milliseconds: UInt64 = 1
    ) throws -> SignedTreeHead? {
        try LocalWrites(zone: TestZone.id, author: author.author, wallMilliseconds: milliseconds, sign: author.sign)
            .commitControl(body, in: &self).head
    }

    /// Gives a run to the replica.
    @discardableResult
    package mutating func receive(
        _ run: Run,
        liveSet: LiveSetComparison? = nil,
        at milliseconds: UInt64 = 1_000
    ) throws -> ReceivedRun {
        let head = run.signedHead.head
        let actor = ActorID(digesting: .actorID, head.device.bytes + head.incarnation.bytes)
        return try RunReceiver(run, actor: actor, liveSet: liveSet, wallMilliseconds: milliseconds).receive(in: &self)
    }

    /// Returns the next run of a log, for a peer that holds it up to a size.
    package func run(_ key: LogKey, from: UInt64 = 0, byteCount: UInt64 = 15 * 1_048_576) throws -> Run? {
        try RunServing(key).run(from: from, byteCount: byteCount, in: self)
    }

    /// Takes over everything that another replica holds and this one lacks, control logs first.
    package mutating func pull(from other: some ReplicaTransaction, at milliseconds: UInt64 = 1_000) throws {
        for lane in [Lane.control, .data] {
            for row in try other.logs(zone: TestZone.id) where row.key.lane == lane {
                var from = try statedSize(row.key)
                while let run = try other.run(row.key, from: from) {
                    guard case .stored(let applied) = try receive(run, at: milliseconds) else { break }
                    from = applied.size
                }
            }
        }
    }

    /// The size that this replica states of a log of the test zone.
    private func statedSize(_ key: LogKey) throws -> UInt64 {
        guard let row = try log(key), let zone = try zone(TestZone.id) else { return 0 }
        return min(row.heldSize, row.statedLimit(in: zone, controlBounds))
    }

    /// A record of the test zone by its name.
    package func record(_ name: String) throws -> RecordRow? {
        try record(zone: TestZone.id, tag: try RecordTag(of: name, zone: TestZone.id, in: self))
    }

    /// The shown value of a field; nil when record or field are not there.
    package func value(_ field: String, of name: String) throws -> FieldValue? {
        guard let row = try record(name), !row.isDeleted else { return nil }
        return try row.content().field(named: field)?.winner?.value
    }
}

extension RecordWrite {
    /// A write of a note with some text fields.
    package static func note(_ name: String, _ fields: KeyValuePairs<String, String>) -> RecordWrite {
        RecordWrite(
            name: name,
            type: "note",
            set: fields.map { FieldAssignment(field: $0.key, value: .string($0.value)) }
        )
    }

    /// The deletion of a record.
    package static func deletion(_ name: String) -> RecordWrite {
        RecordWrite(name: name, delete: true)
    }
}
