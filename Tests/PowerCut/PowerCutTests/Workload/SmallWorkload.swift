import Records
import ReplicaBehaviour
import Sync
import Wire

/// A few actions that use every kind of job, for going through all operations of the disk one by one.
enum SmallWorkload {
    /// The actions, always the same.
    static func actions() throws -> [Workload.Action] {
        let bob = TestAuthor(10)
        var peer = MemoryReplica()
        try peer.createTestZone()
        try peer.commit([.note("r1", ["f0": "bob"]), .note("r2", ["f1": "bob"])], isAtomic: true, by: bob, at: 2_000)
        guard let run = try peer.run(bob.log()) else { throw Finding("a peer has no run") }
        let sizes: [LogKey: UInt64] = [Step.author.log(): 100, bob.log(): 100]
        let acknowledged = [Step.author.author.device: sizes, bob.author.device: sizes]
        func write(_ names: String..., text: String = "x", wall: UInt64) -> Step {
            .write([WriteRequest(names.map { .note($0, ["f0": text]) })], wall: wall)
        }
        return [
            .commit([.createZone, .incarnate(Step.author.author.incarnation)]),
            .commit([write("r1", "r2", wall: 1_000)]),
            .commit([.receive(run, wall: 3_000)]),
            .commit([write("r3", wall: 3_001), .fail("a"), .setValue("b", [7])]),
            .commit([
                .acknowledge([.init(device: bob.author.device, key: Step.author.log(), size: 2)]),
                .meet(.init(device: bob.author.device, addresses: ["b:1"], lastSeenMilliseconds: 5)),
                .account([[1, 2], [3]]),
            ]),
            .checkpoint,
            .commit([write("r1", text: String(repeating: "long", count: 2_000), wall: 3_002)]),
            .commit([.makeCheckpoint(acknowledged: acknowledged, wall: 3_003)]),
            .commit([.adopt]),
            .read,
            .reopen,
            .commit([write("r1", "r4", wall: 3_004)]),
            .commit([.leaveAccount, .setValue("b", nil)]),
        ]
    }

    /// The action that shows that a machine goes on.
    static var another: Workload.Action {
        .commit([.write([WriteRequest([.note("r5", ["f2": "after"])])], wall: 9_000)])
    }
}
