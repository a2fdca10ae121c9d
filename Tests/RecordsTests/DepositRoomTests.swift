import Records
import ReplicaBehaviour
import Sodium
import Testing
import Wire

@Suite struct `The room for late writes` {
    private func right(_ number: UInt8) -> Hash { Hash(digesting: .treeNode, [number]) }

    /// Logs under a right, each of another device.
    private func rows(_ count: Int, under right: Hash) -> [LogRow] {
        (1...count).map { number in
            let author = TestAuthor(UInt8(number)).author
            let head = TreeHead(
                zone: TestZone.id,
                device: author.device,
                incarnation: author.incarnation,
                lane: .data,
                size: 1,
                root: .zero,
                right: right,
                seen: [:]
            )
            let key = LogKey(zone: TestZone.id, actor: author.actor, lane: .data)
            return LogRow(head, key: key, ruling: LogRuling())
        }
    }

    @Test func `of another account is 16 logs under a right, and 64 under all that come from one grant`() throws {
        let family = Set((1...9).map(right))
        let kept = KeptAboveCut.deposit(.ofRight(sharing: family))
        var logs: [LogRow] = []
        for number in UInt8(1)...9 {
            for row in rows(20, under: right(number))
            where kept.hasPlace(for: row, beside: logs) {
                logs.append(row)
            }
        }
        #expect((1...9).map { number in logs.count { $0.right == right(number) } } == [16, 16, 16, 16, 0, 0, 0, 0, 0])
        // Rights from another grant are not affected.
        let other = try #require(rows(1, under: right(10)).first)
        #expect(KeptAboveCut.deposit(.ofRight(sharing: [right(10)])).hasPlace(for: other, beside: logs))
    }

    @Test func `of the keeping account is 16 logs of a device`() throws {
        let kept = KeptAboveCut.deposit(.ofDevice)
        let logs = rows(40, under: right(1))
        #expect(logs.allSatisfy { kept.hasPlace(for: $0, beside: logs.filter { $0.key != logs[0].key }) })
        let same = Array(repeating: logs[0], count: 16)
        #expect(!kept.hasPlace(for: logs[0], beside: same))
        #expect(kept.hasPlace(for: logs[1], beside: same))
    }

    @Test(arguments: [1_000, 1_001])
    func `of one log is a thousand operations above its cut`(count: Int) throws {
        let bob = TestAuthor(2)
        var source = try emptyReplica()
        try source.commit([.note("a", ["x": "bob"])], by: bob)
        var target = source
        try target.cut(bob, at: 1)
        try source.commit((0..<count).map { .note("late \($0)", ["x": "bob"]) }, by: bob)
        let run = try #require(try source.run(bob.log(), from: 1))
        #expect(run.signedHead.head.size == UInt64(1 + count))
        _ = try RunReceiver(run, actor: bob.author.actor, keeps: .deposit(.ofDevice), wallMilliseconds: 1)
            .receive(in: &target)
        #expect(try target.log(bob.log())?.size == (count == 1_000 ? 1_001 : 1))
    }
}
