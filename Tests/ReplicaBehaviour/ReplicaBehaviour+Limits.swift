import Records
import Sodium
import Wire

// A store that keeps values must not accept those that one that encodes them could not read back: tests would pass on
// it that fail in production.
extension ReplicaBehaviour {
    private func hash(_ number: Int) -> Hash {
        Hash(digesting: .treeNode, [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)])
    }

    private func actors(_ count: Int, counter: UInt64 = 1) -> VersionVector {
        VersionVector(
            covering: (0..<count).compactMap { ActorID(hash($0).bytes) }.map { Dot(actor: $0, counter: counter) }
        )
    }

    /// Runs a body that has to fail, and leave the store as it was.
    private func requireError<Store: ReplicaTransaction>(
        _ store: inout Store,
        line: Int = #line,
        _ body: (inout Store) throws -> Void
    ) throws {
        do {
            try body(&store)
        } catch {
            return
        }
        try require(false, line: line)
    }

    /// Runs a body that has to be refused and leave the store as it was.
    func requireRefusal<Store: ReplicaTransaction>(
        _ store: inout Store,
        line: Int = #line,
        _ body: (inout Store) throws -> Void
    ) throws {
        do {
            try body(&store)
        } catch ReplicaError.unstorable {
            return
        }
        try require(false, line: line)
    }

    func checkLimits(_ store: inout some ReplicaTransaction) throws {
        try checkHeadLimits(&store)
        try checkZoneLimits(&store)
        try checkItemLimits(&store)
        try checkRecordLimits(&store)
        try checkLogLimits(&store)
        try checkZoneNumberLimits(&store)
        try checkPlaceLimits(&store)
    }

    private func checkHeadLimits(_ store: inout some ReplicaTransaction) throws {
        let author = TestAuthor(1)
        try store.createTestZone()
        var row = LogRow(
            key: author.log(),
            device: author.author.device,
            incarnation: author.author.incarnation,
            right: .zero
        )
        try store.save(row)
        func head(_ size: UInt64, seen count: Int, counter: UInt64 = 1) -> HeadRow {
            let head = TreeHead(
                zone: TestZone.id,
                device: author.author.device,
                incarnation: author.author.incarnation,
                lane: .data,
                size: size,
                root: hash(count),
                right: .zero,
                seen: actors(count, counter: counter)
            )
            let signed = SignedTreeHead(head, signature: author.sign(head.encoded))
            return HeadRow(signed: signed, byteCount: 1, frontier: TreeFrontier(leafCount: size))
        }
        let largest = head(1, seen: Limits.actorCountMax)
        try store.insert(largest, key: row.key)
        try require(store.head(row.key, atOrBelow: 1) == largest)
        let larger = head(2, seen: Limits.actorCountMax + 1)
        try requireRefusal(&store) { try $0.insert(larger, key: row.key) }
        try requireRefusal(&store) { try $0.insert(head(0, seen: 0), key: row.key) }
        try requireRefusal(&store) { try $0.insert(head(Limits.counterMax + 1, seen: 0), key: row.key) }
        for byteCount in [UInt64(Int64.max) + 1, .max] {
            var behind = head(2, seen: 1)
            behind.byteCount = byteCount
            try requireRefusal(&store) { [behind] in try $0.insert(behind, key: row.key) }
        }
        try requireRefusal(&store) { try $0.insert(head(2, seen: 1, counter: Limits.counterMax + 1), key: row.key) }
        try requireError(&store) { try $0.insert(head(1, seen: 2), key: row.key) }
        try require(store.heads(row.key, above: 0, limit: 9) == [largest])
        row.forkProof = ForkProof(largest.signed, head(1, seen: 1).signed)
        try store.save(row)
        try require(store.log(row.key) == row)
        row.forkProof = ForkProof(largest.signed, larger.signed)
        try requireRefusal(&store) { try $0.save(row) }
    }

    private func checkZoneLimits(_ store: inout some ReplicaTransaction) throws {
        var zone = try required(store.zone(TestZone.id))
        func checkpoint(_ logs: Int, lapsed: Int) -> Checkpoint {
            Checkpoint(
                logs: actors(logs).entries.map {
                    LogPosition(actor: $0.actor, lane: .data, size: 1, root: hash(1))
                },
                liveRoot: .zero,
                liveCount: 0,
                lapsed: (0..<lapsed).compactMap { DeviceID(hash($0).bytes) },
                previous: .zero
            )
        }
        zone.adopted = checkpoint(Limits.logCountMax, lapsed: Limits.lapsedDeviceCountMax)
        zone.watermark = actors(Limits.logCountMax)
        try store.save(zone)
        try require(store.zone(TestZone.id) == zone)
        var larger = zone
        larger.candidates = [checkpoint(Limits.logCountMax + 1, lapsed: 0)]
        try requireRefusal(&store) { try $0.save(larger) }
        larger.candidates = [checkpoint(1, lapsed: Limits.lapsedDeviceCountMax + 1)]
        try requireRefusal(&store) { try $0.save(larger) }
        for (bytes, isTaken) in [(Limits.nameByteCountMax, true), (Limits.nameByteCountMax + 1, false), (0, false)] {
            let genesis = ZoneGenesis(
                owner: TestZone.genesis.owner,
                container: "org.example.notes",
                name: String(repeating: "n", count: bytes),
                salt: TestZone.genesis.salt,
                history: .full,
                isDefault: false
            )
            let named = ZoneRow(id: ZoneID(hash(bytes).bytes) ?? .zero, genesis: genesis, tagKey: TestZone.tagKey)
            if isTaken {
                try store.save(named)
                try require(store.zone(named.id) == named)
            } else {
                try requireRefusal(&store) { try $0.save(named) }
                try require(store.zone(named.id) == nil)
            }
        }
        try require(store.zone(TestZone.id) == zone)
    }

    private func checkItemLimits(_ store: inout some ReplicaTransaction) throws {
        let author = TestAuthor(2)
        let row = LogRow(
            key: author.log(),
            device: author.author.device,
            incarnation: author.author.incarnation,
            right: .zero
        )
        try store.save(row)
        func item(_ leaf: UInt64, seen count: Int, bytes: Int) -> StoredItem {
            let body = [UInt8](repeating: 1, count: bytes)
            let header = OperationHeader(
                counter: leaf + 1,
                tag: RecordTag(hash(1).bytes) ?? .zero,
                vector: actors(count - 1).merged(with: [author.author.actor: leaf + 1]),
                creation: Dot(actor: author.author.actor, counter: 1),
                controlHeads: .zero,
                epoch: .zero,
                time: HybridTime(raw: 1),
                batch: .single,
                bodyHash: Operation.bodyHash(body)
            )
            let stored = StoredOperation(
                actor: author.author.actor,
                operation: Operation(header: header, body: body),
                state: .pending,
                isTombstone: false
            )
            return StoredItem(first: leaf, content: .operation(stored))
        }
        let largest = item(0, seen: Limits.actorCountMax, bytes: Limits.bodyByteCountMax)
        try store.append([largest], key: row.key)
        try require(store.items(row.key, from: 0, to: 9) == [largest])
        let (many, long) = (
            item(1, seen: Limits.actorCountMax + 1, bytes: 1), item(1, seen: 1, bytes: Limits.bodyByteCountMax + 1)
        )
        try requireRefusal(&store) { try $0.append([many], key: row.key) }
        try requireRefusal(&store) { try $0.append([long], key: row.key) }
        try require(store.items(row.key, from: 0, to: 9) == [largest])
    }

    private func checkRecordLimits(_ store: inout some ReplicaTransaction) throws {
        try store.commit([.note("n", ["x": "1"])], by: TestAuthor(3))
        let row = try required(store.record("n"))
        var longest = row
        longest.type = String(repeating: "t", count: Limits.nameByteCountMax)
        longest.anchors = [String(repeating: "a", count: Limits.nameByteCountMax)]
        let payloads = (0...StorableLimits.assetCountMax).map { number in
            PayloadID(Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 0))
        }
        longest.assets = Array(payloads.dropLast())
        try store.save([longest], bySync: false)
        try require(store.record("n") == longest)
        for change: (inout RecordRow) -> Void in [
            { $0.name = String(repeating: "n", count: Limits.nameByteCountMax + 1) },
            { $0.type = String(repeating: "t", count: Limits.nameByteCountMax + 1) },
            { $0.anchors = [String(repeating: "a", count: Limits.nameByteCountMax + 1)] },
            { $0.anchors = [""] },
            { $0.anchors = ["b", "a"] },
            { $0.anchors = ["a", "a"] },
            { $0.assets = payloads },
            { $0.assets = [payloads[1], payloads[0]] },
            { $0.assets = [payloads[0], payloads[0]] },
            { $0.name = "" },
            { $0.live = Array(repeating: Dot(actor: .zero, counter: 1), count: StorableLimits.listCountMax + 1) },
            { $0.body = [UInt8](repeating: 0, count: Limits.bodyByteCountMax + 1) },
        ] {
            var larger = longest
            change(&larger)
            try requireRefusal(&store) { try $0.save([larger], bySync: false) }
            try requireRefusal(&store) { try $0.saveUnchanged([larger]) }
        }
        try require(store.record("n") == longest)
    }
}
