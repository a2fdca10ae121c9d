import ReplicaBehaviour
import Testing
import Wire

@testable import Records

@Suite struct `The author's own log` {
    private let alice = TestAuthor(1)

    private func ownLog(in replica: MemoryReplica) throws -> OwnLog {
        let zone = try #require(try replica.zone(TestZone.id))
        return try OwnLog(alice.author, .data, logs: ZoneLogs(zone: zone, in: replica), in: replica)
    }

    @Test(arguments: [Limits.batchOperationCountMax, Limits.batchOperationCountMax + 1])
    func `takes no operation that no reader would take`(count: UInt32) throws {
        var own = try ownLog(in: try emptyReplica())
        var made = HandMadeLog(alice)
        try made.append(made.body("a"), batch: BatchPlace(index: 0, count: count))
        let operation = try #require(made.operations.first)
        let error = replicaError { try own.add([(operation, false)]) }
        let isReadable = count <= Limits.batchOperationCountMax
        let expected: ReplicaError? = isReadable ? nil : .unreadable(alice.log(), .invalidValue("batch"))
        #expect(error == expected)
        let next: UInt64 = isReadable ? 2 : 1
        #expect(own.dot().counter == next)
    }

    /// Returns five operations that take this many bytes together.
    private func operations(_ byteCount: UInt64) throws -> [Operation] {
        var probe = HandMadeLog(alice)
        try probe.append(probe.body("a", ["x": .bytes([UInt8](repeating: 1, count: 800_000))]))
        let overhead = try #require(probe.operations.first).byteCount - 800_000
        let rest = byteCount - 4 * (830_000 + overhead) - overhead
        var log = HandMadeLog(alice)
        for (name, count) in zip(["a", "b", "c", "d", "e"], [830_000, 830_000, 830_000, 830_000, rest]) {
            try log.append(log.body(name, ["x": .bytes([UInt8](repeating: 1, count: Int(count)))]))
        }
        #expect(log.operations.reduce(0) { $0 + $1.byteCount } == byteCount)
        return log.operations
    }

    @Test(arguments: [(ReplicaLimits.commitByteCountMax, 1), (ReplicaLimits.commitByteCountMax + 1, 2)])
    func `signs one head over the operations of a commit, as far as their bytes allow`(
        byteCount: UInt64,
        headCount: Int
    ) throws {
        var replica = try emptyReplica()
        var own = try ownLog(in: replica)
        for operation in try operations(byteCount) { try own.add([(operation, false)]) }
        try own.finish(state: { _ in .live }, sign: alice.sign, in: &replica)
        #expect(own.heads.map(\.head.size) == (headCount == 1 ? [5] : [4, 5]))
    }
}
