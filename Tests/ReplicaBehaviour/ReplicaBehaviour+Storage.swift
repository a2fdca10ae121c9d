import Records
import Sodium
import Wire

extension ReplicaBehaviour {
    private var alice: TestAuthor { TestAuthor(1) }
    private var bob: TestAuthor { TestAuthor(2) }

    private func hash(_ number: UInt8) -> Hash { Hash(digesting: .treeNode, [number]) }

    private func emptyLog(_ author: TestAuthor, _ lane: Lane = .data) -> LogRow {
        LogRow(
            key: author.log(TestZone.id, lane),
            device: author.author.device,
            incarnation: author.author.incarnation,
            right: hash(9)
        )
    }

    func checkZones(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        var zone = try required(store.zone(TestZone.id))
        try require(zone.genesis == TestZone.genesis && zone.tagKey == TestZone.tagKey && zone.state == .live)
        let checkpoint = Checkpoint(
            logs: [LogPosition(actor: alice.author.actor, lane: .data, size: 3, root: hash(1))],
            liveRoot: hash(2),
            liveCount: 1,
            lapsed: [bob.author.device],
            previous: .zero
        )
        zone.state = .deleted(reason: "done")
        zone.adopted = checkpoint
        zone.candidates = [checkpoint]
        zone.watermark = [alice.author.actor: 3]
        zone.isUnverified = true
        zone.production = [1, 2, 3]
        zone.sealing = .epoch(hash(3))
        zone.needsKeys = true
        zone.keysDue = 4
        zone.keysStamp = hash(5)
        try store.save(zone)
        let other = ZoneRow(
            id: ZoneID(digesting: .zoneID, [9]),
            genesis: TestZone.genesis,
            tagKey: TestZone.tagKey,
            state: .sealed,
            sealing: .open
        )
        try store.save(other)
        try require(store.zone(TestZone.id) == zone)
        try require(store.zones() == [zone, other].sorted { $0.id < $1.id })
    }

    func checkLogs(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        var frontier = TreeFrontier()
        frontier.append(hash(1))
        var row = emptyLog(bob)
        try store.save(row)
        row.frontier = frontier
        row.size = 1
        row.byteCount = 77
        row.appliedSize = 1
        row.cut = LogCut(size: 1, root: hash(4))
        row.hole = 0
        let head = TreeHead(
            zone: TestZone.id,
            device: bob.author.device,
            incarnation: bob.author.incarnation,
            lane: .data,
            size: 1,
            root: hash(5),
            right: row.right,
            seen: [:]
        )
        var other = head
        other.root = hash(6)
        row.forkProof = ForkProof(
            SignedTreeHead(head, signature: bob.sign(head.encoded)),
            SignedTreeHead(other, signature: bob.sign(other.encoded))
        )
        let rest = [emptyLog(alice), emptyLog(alice, .control)]
        for log in [row] + rest {
            try store.save(log)
        }
        try require(store.log(row.key) == row)
        try require(store.logs(zone: TestZone.id) == ([row] + rest).sorted { $0.key < $1.key })
    }

    func checkHeads(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        let row = emptyLog(alice)
        try store.save(row)
        var rows: [HeadRow] = []
        for size in [3, 7, 20, 21] as [UInt64] {
            let head = TreeHead(
                zone: TestZone.id,
                device: row.device,
                incarnation: row.incarnation,
                lane: .data,
                size: size,
                root: hash(UInt8(size)),
                right: .zero,
                seen: [bob.author.actor: size]
            )
            let signed = SignedTreeHead(head, signature: alice.sign(head.encoded))
            rows.append(HeadRow(signed: signed, byteCount: size * 100, frontier: TreeFrontier(leafCount: size)))
            try store.insert(rows[rows.count - 1], key: row.key)
        }
        try require(store.heads(row.key, above: 0, limit: 10) == rows)
        try require(store.heads(row.key, above: 3, limit: 2) == Array(rows[1...2]))
        try require(store.head(row.key, atOrBelow: 20) == rows[2])
        try require(store.head(row.key, atOrBelow: 19) == rows[1])
        try require(store.head(row.key, atOrBelow: 2) == nil)
        try store.deleteHeads(row.key, sizes: [7, 21, 99])
        try require(store.heads(row.key, above: 0, limit: 10).map(\.size) == [3, 20])
    }

    /// Ten operations of Alice on three records.
    private func write(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        try store.commit((0..<10).map { .note("r\($0 % 3)", ["x": "\($0)"]) }, by: alice)
    }

    func checkItems(_ store: inout some ReplicaTransaction) throws {
        try write(&store)
        let key = alice.log()
        try require(store.items(key, from: 0, to: 10).map(\.first) == Array(0..<10))
        try require(store.items(key, from: 4, to: 6).map(\.first) == [4, 5])
        try require(store.items(key, from: 9, to: .max).map(\.first) == [9])
        try require(store.items(key, from: 10, to: 20).isEmpty && store.items(key, from: 5, to: 5).isEmpty)
        try store.replace(key, first: [4, 5, 6, 7], with: [SubtreeGap(level: 2, index: 1, hash: hash(1))])
        try require(store.items(key, from: 6, to: 7).map(\.first) == [4])
        try require(store.items(key, from: 2, to: 9).map(\.first) == [2, 3, 4, 8])
    }

    func checkGaps(_ store: inout some ReplicaTransaction) throws {
        try write(&store)
        let key = alice.log()
        try store.replace(key, first: [0], with: [SubtreeGap(level: 0, index: 0, hash: hash(1))])
        try store.replace(key, first: [0, 1], with: [SubtreeGap(level: 1, index: 0, hash: hash(2))])
        let items = try store.items(key, from: 0, to: 3)
        try require(items.map(\.first) == [0, 2])
        try require(items[0].content == .gap(SubtreeGap(level: 1, index: 0, hash: hash(2))))
        let tag = try RecordTag(of: "r0", zone: TestZone.id, in: store)
        let left = try store.operations(zone: TestZone.id, tags: [tag], states: Set(OperationState.allCases))
        try require(left.map(\.dot.counter) == [4, 7, 10])
        try store.replace(key, first: [8, 9], with: [])
        try require(store.items(key, from: 0, to: .max).map(\.first) == [0, 2, 3, 4, 5, 6, 7])
        let gap = SubtreeGap(level: 0, index: 8, hash: hash(3))
        try store.append([StoredItem(first: 8, content: .gap(gap))], key: key)
        try require(store.items(key, from: 8, to: 9).map(\.content) == [.gap(gap)])
    }

    func checkOperations(_ store: inout some ReplicaTransaction) throws {
        try write(&store)
        try store.commit([.note("r0", ["x": "bob"])], by: bob)
        let tags = try ["r0", "r1"].map { try RecordTag(of: $0, zone: TestZone.id, in: store) }.sorted()
        let all = try store.operations(zone: TestZone.id, tags: tags, states: Set(OperationState.allCases))
        try require(all.count == 8)
        let order = all.map { ($0.operation.header.tag, $0.dot) }
        try require(zip(order, order.dropFirst()).allSatisfy { ($0.0, $0.1) < ($1.0, $1.1) })
        let live = try store.operations(zone: TestZone.id, tags: tags, states: [.live])
        try require(live.map(\.dot.counter).sorted() == [1, 8])
        try store.setStates([
            StateChange(key: alice.log(), counter: 1, state: .quarantined),
            StateChange(key: alice.log(), counter: 8, state: .superseded),
        ])
        try require(store.operations(zone: TestZone.id, tags: tags, states: [.live]).map(\.actor) == [bob.author.actor])
        let quarantined = try store.operations(zone: TestZone.id, tags: tags, states: [.quarantined])
        try require(quarantined.map(\.dot.counter) == [1])
        try store.setStates([StateChange(key: alice.log(), counter: 1, state: .restated)])
        try require(store.operations(zone: TestZone.id, tags: tags, states: [.quarantined]).isEmpty)
        let restated = try store.operations(zone: TestZone.id, tags: tags, states: [.restated])
        try require(restated.map(\.dot.counter) == [1])
        try store.setStates([StateChange(key: alice.log(), counter: 1, state: .quarantined)])
        try require(store.operations(zone: TestZone.id, tags: tags, states: [.quarantined]).count == 1)
        // Each state that a control operation can have is read back as well.
        try store.commit(.unknown(tag: 99, bytes: [1]), by: alice)
        let control = alice.log(TestZone.id, .control)
        for state in [OperationState.quarantined, .restated, .pending, .live] {
            try store.setStates([StateChange(key: control, counter: 1, state: state)])
            let items = try store.items(control, from: 0, to: 1)
            guard case .operation(let stored)? = items.first?.content else { throw ReplicaError.unknownLog(control) }
            try require(stored.state == state)
        }
        try require(store.operations(zone: TestZone.id, tags: [], states: [.live]).isEmpty)
    }

    func checkSummaries(_ store: inout some ReplicaTransaction) throws {
        try write(&store)
        try store.commit([.deletion("r1")], by: bob)
        var after: RecordTag?
        var all: [OperationSummary] = []
        while true {
            let page = try store.summaries(zone: TestZone.id, after: after, limit: 2)
            guard let last = page.last else { break }
            try require(page.count >= 2)
            try require(!all.contains { $0.tag == page[0].tag })
            all += page
            after = last.tag
        }
        try require(all.count == 11)
        let order = all.map { ($0.tag, $0.dot) }
        try require(zip(order, order.dropFirst()).allSatisfy { ($0.0, $0.1) < ($1.0, $1.1) })
        try require(all.count(where: \.isTombstone) == 1)
        try require(all.allSatisfy { $0.vector.covers($0.dot) })
        try require(store.summaries(zone: TestZone.id, after: nil, limit: 100) == all)
        let some = Set(all.map(\.tag).prefix(4))
        try require(store.summaries(zone: TestZone.id, tags: some.reversed()) == all.filter { some.contains($0.tag) })
        let absent = try RecordTag(of: "none", zone: TestZone.id, in: store)
        try require(store.summaries(zone: TestZone.id, tags: [absent]).isEmpty)
        try require(store.summaries(zone: TestZone.id, tags: []).isEmpty)
    }

    func checkRecords(_ store: inout some ReplicaTransaction) throws {
        try write(&store)
        let row = try required(store.record("r0"))
        var changed = row
        changed.live = []
        changed.context.merge([bob.author.actor: 9])
        try store.saveUnchanged([changed])
        try require(store.record("r0") == changed)
        try store.save([row], bySync: true)
        try require(store.record("r0") == row)
        let names = ["r0", "r2", "none"]
        let tags = try names.map { try RecordTag(of: $0, zone: TestZone.id, in: store) }
        try require(Set(store.records(zone: TestZone.id, tags: tags).map(\.name)) == ["r0", "r2"])
    }

    func checkAnchors(_ store: inout some ReplicaTransaction) throws {
        func found(_ name: String, _ store: some ReplicaTransaction) throws -> [RecordTag] {
            try store.anchoredRecords(zone: TestZone.id, to: name, after: nil, limit: 10)
        }
        try store.createTestZone()
        try store.commit((0..<5).map { .note("r\($0)", ["x": "1"]) }, by: alice)
        let rows = try (0..<5).map { try required(store.record("r\($0)")) }.sorted { $0.tag < $1.tag }
        let tags = rows.map(\.tag)
        for (index, var row) in rows.enumerated() {
            row.anchors = index < 4 ? ["a", "e\u{301}"] : ["\u{E9}"]
            try index == 0 ? store.saveUnchanged([row]) : store.save([row], bySync: false)
            try require(store.record(row.name) == row)
        }
        try require(found("a", store) == Array(tags.prefix(4)))
        try require(found("e\u{301}", store) == Array(tags.prefix(4)) && found("\u{E9}", store) == [tags[4]])
        try require(store.anchoredRecords(zone: TestZone.id, to: "a", after: nil, limit: 2) == Array(tags[0...1]))
        try require(store.anchoredRecords(zone: TestZone.id, to: "a", after: tags[1], limit: 2) == Array(tags[2...3]))
        try require(store.anchoredRecords(zone: .zero, to: "a", after: nil, limit: 9).isEmpty)
        // A row that no longer contains it is not found.
        try store.save([rows[1]], bySync: true)
        try require(found("a", store) == [tags[0], tags[2], tags[3]] && store.record(rows[1].name) == rows[1])
    }

    func checkSettings(_ store: inout some ReplicaTransaction) throws {
        try require(store.clock() == HybridClock() && store.incarnation() == nil)
        let clock = HybridClock(latest: HybridTime(raw: 77))
        try store.save(clock)
        try store.save(bob.author.incarnation)
        let numbers = [try store.nextCommitNumber(), try store.nextCommitNumber()]
        try require(numbers == [1, 2])
        try require(store.clock() == clock && store.incarnation() == bob.author.incarnation)
    }

    func checkAbsence(_ store: some ReplicaTransaction) throws {
        let key = alice.log()
        try require(store.zone(TestZone.id) == nil && store.zones().isEmpty)
        try require(store.log(key) == nil && store.logs(zone: TestZone.id).isEmpty)
        try require(store.heads(key, above: 0, limit: 5).isEmpty && store.head(key, atOrBelow: 5) == nil)
        try require(store.items(key, from: 0, to: 5).isEmpty)
        try require(store.summaries(zone: TestZone.id, after: nil, limit: 5).isEmpty)
        try require(store.operations(zone: TestZone.id, tags: [.zero], states: [.live]).isEmpty)
        try require(store.record(zone: TestZone.id, tag: .zero) == nil)
        try require(store.records(zone: TestZone.id, tags: [.zero]).isEmpty)
    }
}
