@testable import Records
import ReplicaBehaviour
import Sodium
import TestSupport
import Testing
import Wire

/// Operations whose keys are not here, and results that must not depend on the claims of their headers.
@Suite struct `An operation that cannot be read` {
    private static let epoch = Hash([UInt8](repeating: 0xE3, count: 32)) ?? .zero
    private let fixture = CheckpointFixture()
    private var alice: TestAuthor { fixture.alice }
    private var bob: TestAuthor { fixture.bob }
    private let liar = TestAuthor(3)
    /// A write of the whole record, whatever of it cannot be read.
    private let replacement = RecordWrite(
        name: "a",
        set: [FieldAssignment(field: "x", value: .string("mine"))],
        replaceAll: true,
        resolve: true,
        replaceUnread: true
    )

    private func key() throws -> EpochKey { try EpochKey(bytes: [UInt8](repeating: 2, count: 32)) }

    private func replica() throws -> MemoryReplica {
        var replica = MemoryReplica()
        try replica.createTestZone()
        return replica
    }

    /// Returns a log with one sealed operation on "a" that claims to replace Alice's write; void if its body has
    /// another name.
    private func sealed(_ name: String, in replica: MemoryReplica) throws -> Run {
        var author = liar.author
        author.sealer = BodySealer(zone: TestZone.id, epoch: Self.epoch, key: try key(), entropy: TransactionEntropy())
        var log = HandMadeLog(liar)
        let dot = Dot(actor: author.actor, counter: 1)
        let first = Dot(actor: alice.author.actor, counter: 1)
        let header = OperationHeader(
            counter: 1,
            tag: try RecordTag(of: "a", zone: TestZone.id, in: replica),
            vector: VersionVector(covering: [dot, first]),
            creation: first,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(raw: 5),
            batch: .single,
            bodyHash: .zero
        )
        let body = log.body(name, ["x": .string("sealed")])
        log.append(author.operation(header, body: body.encoded, isTombstone: false))
        return log.run(seen: VersionVector(covering: [first]))
    }

    /// Returns Alice's record, and above it an operation sealed under a key that is not here.
    private func locked(_ name: String = "z") throws -> MemoryReplica {
        var replica = try replica()
        try replica.commit([.note("a", ["x": "honest"])], by: alice)
        try replica.receive(try sealed(name, in: replica))
        #expect(try replica.record("a")?.isLocked == true)
        #expect(try replica.value("x", of: "a") == .string("honest"))
        return replica
    }

    private func unlock(_ replica: inout MemoryReplica) throws {
        replica.keyring.insert(try key(), for: Self.epoch)
        _ = try ZoneEvaluation(of: TestZone.id).unlock(in: &replica)
    }

    @Test(arguments: ["z", "a"]) func `causes no pruning of operations that it may not have replaced`(
        name: String
    ) throws {
        var replica = try locked(name)
        try replica.commit([.note("b", ["x": "1"])], by: alice)
        try replica.commit([.note("b", ["x": "2"])], by: alice)
        let checkpoint = try fixture.make(&replica)
        #expect(checkpoint.size(alice.log().actorLane) == 3)
        #expect(checkpoint.size(liar.log().actorLane) == 0)
        #expect(try replica.shape(alice.log()) == ["o", "1", "o"])
        try unlock(&replica)
        #expect(try replica.value("x", of: "a") == .string(name == "a" ? "sealed" : "honest"))
        // Once it is read, it is no obstacle.
        let after = try fixture.make(&replica)
        #expect(after.size(liar.log().actorLane) == 1)
    }

    @Test(arguments: ["z", "a"]) func `changes nothing for those who watch the record until it is read`(
        name: String
    ) throws {
        var replica = try replica()
        try replica.commit([.note("a", ["x": "honest"])], by: alice)
        guard case .stored(let applied) = try replica.receive(try sealed(name, in: replica)) else {
            Issue.record("the run was refused")
            return
        }
        #expect(try replica.record("a")?.isLocked == true)
        #expect(applied.changed.isEmpty)
        replica.keyring.insert(try key(), for: Self.epoch)
        let changed = try ZoneEvaluation(of: TestZone.id).unlock(in: &replica)
        #expect(changed.map(\.name) == (name == "a" ? ["a"] : []))
    }

    @Test func `locks nothing if it arrives behind a write of the whole record`() throws {
        var replica = try replica()
        try replica.commit([.note("a", ["x": "honest"])], by: alice)
        let run = try sealed("a", in: replica)
        var source = replica
        try source.receive(run)
        try source.commit([replacement], by: bob)
        // For a while the log ends at zero here, and Bob's write does not wait for it.
        _ = try RunReceiver(run, actor: liar.author.actor, ruling: LogRuling(cut: .zero), wallMilliseconds: 1)
            .receive(in: &replica)
        try replica.receive(try #require(try source.run(bob.log())))
        #expect(try replica.value("x", of: "a") == .string("mine"))
        try replica.cut(liar, at: nil)
        try replica.receive(run)
        #expect(try replica.states(liar.log()) == [.superseded])
        #expect(try replica.record("a")?.isLocked == false)
        #expect(try replica.record("a") == source.record("a"))
    }

    @Test func `is replaced by a write of the whole record, and then hinders no write`() throws {
        var replica = try locked()
        try replica.commit([.note("b", ["x": "1"])], by: bob)
        try replica.commit([replacement], by: bob)
        #expect(try replica.value("x", of: "a") == .string("mine"))
        #expect(try replica.record("a")?.isLocked == false)
        #expect(try replica.record("a")?.creation == Dot(actor: alice.author.actor, counter: 1))
        // A replica that opens the record before, after or never shows the same.
        var reader = try self.replica()
        reader.keyring.insert(try key(), for: Self.epoch)
        try reader.pull(from: replica)
        let shown = try reader.record("a")
        try fixture.make(&replica)
        #expect(try replica.shape(liar.log()) == ["1"])
        try unlock(&replica)
        #expect(try replica.record("a") == shown)
    }
}
