import Records
import ReplicaBehaviour
import Sodium
import Testing
import Wire

/// Results computed for a zone's checkpoints hold until something changes that they depend on.
@Suite struct `The stamp of a zone in a snapshot` {
    private let fixture = CheckpointFixture()

    /// A change of a state on which a checkpoint's live set, or its adoption, depends.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case adoption, candidate, completeness, state, schema, finality, role, newLog
        case growthOfAControlLog, rulingOfAControlLog, partOfAControlLog
        case cut, ruling, fork, hole, lossOfLeaves, lossOfAppliedLeaves

        var testDescription: String { rawValue }
    }

    /// A zone in which one log of each lane is held.
    private func replica() throws -> MemoryReplica {
        var replica = try fixture.history()
        try fixture.make(&replica)
        return replica
    }

    private func checkpoint(_ size: UInt64) -> Checkpoint {
        let position = LogPosition(actor: fixture.bob.author.actor, lane: .data, size: size, root: .zero)
        return Checkpoint(logs: [position], liveRoot: .zero, liveCount: 0, lapsed: [], previous: .zero)
    }

    private func changed(_ replica: MemoryReplica, by change: Change) throws -> MemoryReplica {
        var replica = replica
        var zone = try #require(try replica.zone(TestZone.id))
        var data = try #require(try replica.log(fixture.bob.log()))
        var control = try #require(try replica.log(fixture.alice.log(TestZone.id, .control)))
        switch change {
        case .adoption: zone.adopted = checkpoint(1)
        case .candidate: zone.candidates.append(checkpoint(1))
        case .completeness: zone.isUnverified = true
        case .state: zone.state = .sealed
        case .schema: zone.production = [1]
        case .finality: zone.watermark.merge(Dot(actor: fixture.bob.author.actor, counter: 9))
        case .role: zone.role = .unknown
        case .newLog: try replica.commit([.note("n", [:])], by: TestAuthor(3))
        case .growthOfAControlLog:
            control.frontier.append(Hash(digesting: .treeNode, [1]))
            (control.size, control.appliedSize) = (control.size + 1, control.appliedSize + 1)
        case .rulingOfAControlLog: control.role = .unknown
        case .partOfAControlLog: control.role = .ended(.owner, at: 1)
        case .cut: data.cut = LogCut(size: data.size, root: data.frontier.root)
        case .ruling: data.role = .unknown
        case .fork: data.forkProof = try proof(of: replica)
        case .hole: data.hole = 1
        case .lossOfLeaves:
            var earlier = try emptyReplica()
            try earlier.commit([.note("b", ["x": "1"])], by: fixture.bob)
            data = try #require(try earlier.log(fixture.bob.log()))
        case .lossOfAppliedLeaves: data.appliedSize -= 1
        }
        try replica.save(zone)
        try replica.save(data)
        try replica.save(control)
        return replica
    }

    /// The proof that Bob's log goes on in two ways.
    private func proof(of replica: MemoryReplica) throws -> ForkProof {
        var (one, two) = (replica, replica)
        try one.commit([.note("l", [:])], by: fixture.bob)
        try two.commit([.note("r", [:])], by: fixture.bob)
        return try `A log with two histories`().foundProof(of: two, fixture.bob.log(), given: &one)
    }

    @Test(arguments: Change.allCases) func `does not hold after a change`(change: Change) throws {
        let before = try replica()
        let stamp = try CheckpointStamp(zone: TestZone.id, in: before)
        #expect(try stamp.stands(in: before))
        #expect(try !stamp.stands(in: try changed(before, by: change)))
    }

    @Test func `holds while logs of data grow`() throws {
        var replica = try replica()
        let stamp = try CheckpointStamp(zone: TestZone.id, in: replica)
        try replica.commit([.note("a", ["x": "more"]), .deletion("b")], by: fixture.bob)
        try replica.commit([.note("d", [:])], by: fixture.alice)
        #expect(try stamp.stands(in: replica))
    }

    @Test func `holds while operations are pruned under the adopted checkpoint`() throws {
        var replica = try fixture.history()
        try replica.commit([.note("a", ["x": "newest"])], by: fixture.alice)
        let checkpoint = try #require(try fixture.due(replica))
        try replica.commit(.checkpoint(checkpoint), by: fixture.alice)
        #expect(try Checkpoints(of: TestZone.id).adopt(in: &replica) == .adopted(checkpoint))
        let stamp = try CheckpointStamp(zone: TestZone.id, in: replica)
        let (sizes, previous) = (checkpoint.dataSizes, VersionVector())
        let live = try LiveSet(zone: TestZone.id, sizes: sizes, previous: previous, in: replica)
        #expect(try Pruning(of: TestZone.id).pruneAll(in: &replica) > 0)
        #expect(try stamp.stands(in: replica))
        #expect(try LiveSet(zone: TestZone.id, sizes: sizes, previous: previous, in: replica) == live)
    }

    @Test(arguments: [200, 2_000]) func `is compared without reading an operation`(count: Int) throws {
        var replica = try emptyReplica()
        for part in 0..<count / 50 {
            try replica.commit((0..<50).map { .note("\(part).\($0)", [:]) }, by: fixture.alice)
        }
        try replica.commit([.note("b", [:])], by: fixture.bob)
        let stamp = try CheckpointStamp(zone: TestZone.id, in: replica)
        var counting = CountingReplica(replica)
        let (stands, rowCount) = try counting.counting { try stamp.stands(in: $0) }
        #expect(stands)
        // The zone, and two logs.
        #expect(rowCount == 3)
    }
}
