import Records
import ReplicaBehaviour
import Sodium
import TestSupport
import Testing
import Wire

/// The number of logs in a lane of a zone, and the error of a writer when there is no room for its own.
@Suite struct LaneRoomTests {
    /// Returns a log of which one operation is held and applied, by a number.
    private func log(
        _ number: Int,
        of device: UInt8 = 200,
        _ lane: Lane = .data,
        role: LogRole = .owner
    ) -> LogRow {
        let life = [UInt8](repeating: 0, count: 12) + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        let author = TestAuthor(device).author
        let incarnation = Incarnation(life) ?? author.incarnation
        let right = role == .owner ? Hash.zero : Hash(digesting: .treeNode, [device])
        var row = LogRow(
            key: LogKey(
                zone: TestZone.id,
                actor: ActorID(digesting: .actorID, author.device.bytes + incarnation.bytes + right.bytes),
                lane: lane
            ),
            device: author.device,
            incarnation: incarnation,
            right: right,
            role: role
        )
        row.frontier.append(Hash(digesting: .treeNode, life))
        row.size = 1
        row.appliedSize = 1
        return row
    }

    /// Returns as many logs as requested, of as many devices as that takes.
    private func logs(_ count: Int, _ lane: Lane = .data, role: LogRole = .owner) -> [LogRow] {
        (0..<count).map { number in
            var row = log(number, lane, role: role)
            let seed = row.key.actor.bytes
            if number >= 0, let device = DeviceID(seed) { row.device = device }
            return row
        }
    }

    private func save(_ rows: [LogRow], in store: inout MemoryReplica) throws {
        for row in rows { try store.save(row) }
    }

    private func participant(_ level: AccessLevel) -> LogRole {
        let capability = Capability(
            resource: .zone(TestZone.id),
            issuer: TestZone.genesis.owner,
            signer: TestAuthor(1).author.device,
            audience: AccountID(Hash(digesting: .treeNode, [1]).bytes) ?? .zero,
            rights: Rights(level, canDelegate: false),
            caveats: Caveats(),
            parent: .zero,
            nonce: [UInt8](repeating: 0, count: Capability.nonceByteCount)
        )
        return .participant(WriteScope(capability))
    }

    @Test(arguments: [Lane.data, .control])
    func `in a lane with the maximum of logs its writers continue, and their heads decode`(lane: Lane) throws {
        var store = try emptyReplica()
        let author = TestAuthor(1)
        func write(_ name: String) throws -> [SignedTreeHead] {
            if lane == .data { return try store.commit([.note(name, [:])], by: author).heads }
            let head = try store.commit(.unknown(tag: 99, bytes: Array(name.utf8)), by: author, at: 1_000)
            return [head].compactMap(\.self)
        }
        _ = try write("before")
        try save(logs(Limits.actorCountMax - 1, lane), in: &store)
        let heads = try write("after")
        let head = try #require(heads.first)
        #expect(head.head.seen.count == Limits.actorCountMax - 1)
        #expect(try SignedTreeHead(decoding: head.encoded) == head)
        let run = try #require(try store.run(author.log(TestZone.id, lane)))
        #expect(try Run(decoding: run.encoded) == run)
        // One more is not begun; its own author gets an error that states this.
        let other = TestAuthor(2)
        let error = replicaError {
            if lane == .data {
                try store.commit([.note("other", [:])], by: other)
            } else {
                try store.commit(.unknown(tag: 99, bytes: []), by: other, at: 1_000)
            }
        }
        #expect(error == .tooManyActors(other.log(TestZone.id, lane)))
    }

    @Test func `an operation that every reader would refuse is an error at its author, and is not signed`() throws {
        var store = try emptyReplica()
        let author = TestAuthor(1)
        let tooMany = (0...Limits.revokedCapabilityCountMax).map {
            Hash(digesting: .treeNode, [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)])
        }
        let revocation = Revocation(capabilities: tooMany, cuts: [], regrants: [], reason: "")
        let lapsed = (0...Limits.lapsedDeviceCountMax).compactMap {
            DeviceID(Hash(digesting: .treeNode, [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]).bytes)
        }
        let checkpoint = Checkpoint(logs: [], liveRoot: .zero, liveCount: 0, lapsed: lapsed, previous: .zero)
        let reason = String(repeating: "x", count: Limits.reasonByteCountMax + 1)
        for body in [ControlBody.revoke(revocation), .checkpoint(checkpoint), .zoneDeletion(reason: reason)] {
            var isSigned = false
            let error = replicaError {
                try LocalWrites(
                    zone: TestZone.id,
                    author: author.author,
                    wallMilliseconds: 1_000,
                    sign: { head in
                        isSigned = true
                        return author.sign(head)
                    }
                ).commitControl(body, in: &store)
            }
            guard case .unreadable = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(!isSigned)
        }
        #expect(try store.logs(zone: TestZone.id).isEmpty)
    }

    @Test func `the last places are for accounts that rule the zone, and for awaited operations`() throws {
        let ordinary = logs(Limits.actorCountMax - ReplicaLimits.reservedLogCount, role: participant(.write))
        let room = LaneRoom(ordinary, .data)
        let next = log(1, of: 9)
        #expect(room.refusal(toBegin: next, as: participant(.write)) { false } == .tooManyLogs)
        #expect(room.refusal(toBegin: next, as: .unknown) { false } == .tooManyLogs)
        #expect(room.refusal(toBegin: next, as: participant(.write)) { true } == nil)
        #expect(room.refusal(toBegin: next, as: participant(.admin)) { false } == nil)
        #expect(room.refusal(toBegin: next, as: .owner) { false } == nil)
        #expect(LaneRoom(ordinary, .control).refusal(toBegin: next, as: participant(.read)) { false } == nil)
        let full = LaneRoom(ordinary + logs(Limits.actorCountMax).dropFirst(ordinary.count), .data)
        #expect(full.refusal(toBegin: next, as: .owner) { true } == .tooManyLogs)
        // Logs that end at zero take no place.
        let ended = ordinary.map { row in
            var row = row
            row.cut = .zero
            return row
        }
        #expect(LaneRoom(ended, .data).refusal(toBegin: next, as: participant(.write)) { false } == nil)
    }

    @Test func `the effective incarnations of a device are the same in any order of arrival`() {
        var random = SeededGenerator(seed: 4)
        let all = (0..<200).map { log($0) }
        let expected = Set(all.map(\.key.actor).sorted().prefix(ReplicaLimits.incarnationCountMax))
        for _ in 0..<20 {
            // Two replicas accept logs as they come, send each other those that are effective, and nothing else.
            var replicas = [[LogRow]](repeating: [], count: 2)
            func counting(_ rows: [LogRow]) -> [LogRow] {
                let room = LaneRoom(rows, .data)
                return rows.filter { !room.isSurplus($0) }
            }
            func take(_ row: LogRow, _ rows: inout [LogRow]) {
                guard !rows.contains(row), !LaneRoom(rows, .data).isSurplus(row) else { return }
                rows.append(row)
            }
            for row in all.shuffled(using: &random) {
                let chosen = Int.random(in: 0...1, using: &random)
                take(row, &replicas[chosen])
                if Int.random(in: 0..<20, using: &random) == 0 {
                    for row in counting(replicas[chosen]) { take(row, &replicas[1 - chosen]) }
                }
            }
            for index in 0...1 {
                for row in counting(replicas[index]) { take(row, &replicas[1 - index]) }
            }
            for rows in replicas { #expect(Set(counting(rows).map(\.key.actor)) == expected) }
        }
    }

    @Test func `lives of others, of other rights and in other lanes do not compete`() {
        let own = (0..<ReplicaLimits.incarnationCountMax).map { log($0) }
        let room = LaneRoom(own, .data)
        let late = (1_000..<3_000).map { log($0) }.max { $0.key < $1.key }
        #expect(late.map(room.isSurplus) == true)
        #expect(!room.isSurplus(log(1_000, of: 3)))
        #expect(!room.isSurplus(log(1_000, role: participant(.write))))
        #expect(!LaneRoom(own, .control).hasSurplus)
        #expect(room.refusal(toBegin: log(1_000, of: 3), as: .owner) { false } == nil)
    }

    @Test func `a device with the maximum of incarnations begins no other, and continues those`() throws {
        var store = try emptyReplica()
        let lives = (0..<UInt8(ReplicaLimits.incarnationCountMax)).map { TestAuthor(1, life: $0) }
        for (index, life) in lives.enumerated() { try store.commit([.note("\(index)", [:])], by: life) }
        let next = TestAuthor(1, life: 200)
        #expect(replicaError { try store.commit([.note("next", [:])], by: next) } == .tooManyActors(next.log()))
        #expect(try store.record("next") == nil)
        try store.commit([.note("again", [:])], by: lives[0])
        try store.commit([.note("other", [:])], by: TestAuthor(2))
        #expect(try store.record("again") != nil)
    }
}
