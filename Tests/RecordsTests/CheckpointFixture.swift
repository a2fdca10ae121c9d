import Records
import ReplicaBehaviour
import Testing
import Wire

/// Two devices, their writes, and checkpoints of them by Alice.
struct CheckpointFixture {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)

    /// The time after which a checkpoint is due.
    static let day: UInt64 = 24 * 60 * 60 * 1_000
    /// A wall clock far enough on that any checkpoint is due.
    static let now: UInt64 = 10_000_000_000

    /// Returns the acknowledgements of two devices: everything that the replica holds.
    func acknowledgements(_ replica: MemoryReplica) throws -> [LogKey: UInt64] {
        Dictionary(uniqueKeysWithValues: try replica.logs(zone: TestZone.id).map { ($0.key, $0.size) })
    }

    func due(
        _ replica: MemoryReplica,
        acknowledged: [DeviceID: [LogKey: UInt64]] = [:],
        active: [TestAuthor] = [],
        now: UInt64 = CheckpointFixture.now
    ) throws -> Checkpoint? {
        try Checkpoints(of: TestZone.id).due(
            acknowledged: acknowledged,
            activeDevices: Set(active.map(\.author.device) + [alice.author.device]),
            ownDevice: alice.author.device,
            nowMilliseconds: now,
            lastMilliseconds: 0,
            in: replica
        )
    }

    /// Makes a due checkpoint and adopts it.
    @discardableResult
    func make(_ replica: inout MemoryReplica, by maker: TestAuthor? = nil) throws -> Checkpoint {
        let checkpoint = try #require(try due(replica))
        let maker = maker ?? alice
        try replica.commit(.checkpoint(checkpoint), by: maker)
        let adoption = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica)
        guard case .adopted(checkpoint, _) = adoption else {
            Issue.record("not adopted: \(adoption)")
            return checkpoint
        }
        return checkpoint
    }

    /// Four states of "a" by Alice; "b", and "c" with its deletion, by Bob.
    func history() throws -> MemoryReplica {
        var replica = try emptyReplica()
        for index in 0..<4 {
            try replica.commit([.note("a", ["x": "\(index)"])], by: alice)
        }
        try replica.commit([.note("b", ["x": "1"]), .note("c", ["x": "1"])], by: bob)
        try replica.commit([.deletion("c")], by: bob)
        return replica
    }
}
