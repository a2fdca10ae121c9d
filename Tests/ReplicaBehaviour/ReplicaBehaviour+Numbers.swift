import Records
import Sodium
import Wire

// The limits of numbers in rows, and of the places that values have.
extension ReplicaBehaviour {
    private static let largest = UInt64(Int64.max)

    private func hash(_ number: UInt8) -> Hash { Hash(digesting: .treeNode, [number]) }

    private func scope(prefix byteCount: Int, types: Int = 0, depth: UInt8 = 0) -> LogRole {
        let capability = Capability(
            resource: .zone(TestZone.id),
            issuer: TestZone.genesis.owner,
            signer: TestAuthor(4).author.device,
            audience: TestZone.genesis.owner,
            rights: Rights(.write),
            caveats: Caveats(
                recordTypes: (0..<types).map { "t\($0)" },
                namePrefix: String(repeating: "p", count: byteCount),
                delegationDepth: depth
            ),
            parent: .zero,
            nonce: [UInt8](repeating: 1, count: Capability.nonceByteCount)
        )
        return .participant(WriteScope(capability))
    }

    func checkLogLimits(_ store: inout some ReplicaTransaction) throws {
        let author = TestAuthor(4)
        let empty = LogRow(
            key: author.log(),
            device: author.author.device,
            incarnation: author.author.incarnation,
            right: .zero
        )
        var largest = empty
        (largest.size, largest.appliedSize) = (Limits.counterMax, Limits.counterMax)
        largest.frontier = TreeFrontier(leafCount: Limits.counterMax)
        (largest.byteCount, largest.hole) = (Self.largest, Limits.counterMax - 1)
        largest.cut = LogCut(size: Limits.counterMax, root: hash(1))
        try store.save(largest)
        try require(store.log(largest.key) == largest)
        let roles: [LogRole] = [
            .owner, .unknown, .ended(.owner, at: .max), .ended(.unknown, at: 0), scope(prefix: 0),
            scope(prefix: Limits.nameByteCountMax, types: Limits.caveatTypeCountMax, depth: Limits.delegationDepthMax),
            .ended(scope(prefix: 1), at: 1),
        ]
        var control = largest
        control.key = author.log(TestZone.id, .control)
        for role in roles {
            control.role = role
            try store.save(control)
            try require(store.log(control.key) == control)
        }
        for change: (inout LogRow) -> Void in [
            { $0.size = Limits.counterMax + 1 },
            { $0.byteCount = Self.largest + 1 },
            { $0.byteCount = .max },
            { $0.hole = Limits.counterMax + 1 },
            { $0.hole = .max },
            { $0.cut = LogCut(size: Limits.counterMax + 1, root: .zero) },
            { $0.cut = LogCut(size: .max, root: .zero) },
            { $0.role = .ended(.ended(.owner, at: 1), at: 1) },
            { $0.role = scope(prefix: Limits.nameByteCountMax + 1) },
            { $0.role = scope(prefix: 0, types: Limits.caveatTypeCountMax + 1) },
            { $0.role = scope(prefix: 0, depth: Limits.delegationDepthMax + 1) },
        ] {
            var larger = largest
            change(&larger)
            try requireRefusal(&store) { [larger] in try $0.save(larger) }
        }
        try require(store.log(largest.key) == largest)
    }

    func checkZoneNumberLimits(_ store: inout some ReplicaTransaction) throws {
        let before = try required(store.zone(TestZone.id))
        var zone = before
        let position = LogPosition(actor: TestAuthor(4).author.actor, lane: .data, size: Limits.counterMax, root: .zero)
        func checkpoint(_ logs: [LogPosition], lapsed: [DeviceID] = []) -> Checkpoint {
            Checkpoint(logs: logs, liveRoot: .zero, liveCount: .max, lapsed: lapsed, previous: .zero)
        }
        zone.adopted = checkpoint([position], lapsed: [.zero])
        zone.candidates = [checkpoint([position]), checkpoint([])]
        zone.watermark = [TestAuthor(4).author.actor: Limits.counterMax]
        zone.state = .deleted(reason: String(repeating: "r", count: Limits.reasonByteCountMax) + "\u{0}e\u{301}")
        (zone.right, zone.role) = (hash(3), scope(prefix: 1))
        for due in [0, Self.largest, .max] {
            zone.keysDue = due
            try store.save(zone)
            try require(store.zone(TestZone.id) == zone)
        }
        var (beyond, other) = (position, position)
        (beyond.size, other.root) = (Limits.counterMax + 1, hash(1))
        for change: (inout ZoneRow) -> Void in [
            { $0.keysDue = Self.largest + 1 },
            { $0.keysDue = .max - 1 },
            { $0.tagKey = [] },
            { $0.tagKey.append(1) },
            { $0.watermark = [.zero: Limits.counterMax + 1] },
            { $0.role = .ended(.ended(.owner, at: 1), at: 1) },
            { $0.adopted = checkpoint([beyond]) },
            { $0.adopted = checkpoint([position, other]) },
            { $0.candidates = [checkpoint([position, other])] },
            { $0.candidates = Array(repeating: checkpoint([]), count: StorableLimits.candidateCountMax + 1) },
        ] {
            var larger = zone
            change(&larger)
            try requireRefusal(&store) { [larger] in try $0.save(larger) }
        }
        try require(store.zone(TestZone.id) == zone)
        try store.save(before)
    }

    func checkPlaceLimits(_ store: inout some ReplicaTransaction) throws {
        let author = TestAuthor(5)
        func operation(_ counter: UInt64, batch: BatchPlace = .single, in lane: Lane) -> StoredOperation {
            let header = OperationHeader(
                counter: counter,
                tag: .zero,
                vector: [.zero: .max, author.author.actor: counter],
                creation: Dot(actor: .zero, counter: .max),
                controlHeads: .zero,
                epoch: .zero,
                time: HybridTime(raw: .max),
                batch: batch,
                bodyHash: Operation.bodyHash([])
            )
            return StoredOperation(
                actor: author.author.actor,
                operation: Operation(header: header, body: []),
                state: lane == .data ? .void : .quarantined,
                isTombstone: lane == .data
            )
        }
        func item(_ first: UInt64, _ operation: StoredOperation) -> StoredItem {
            StoredItem(first: first, content: .operation(operation))
        }
        let last = BatchPlace(index: Limits.batchOperationCountMax - 1, count: Limits.batchOperationCountMax)
        for lane in Lane.allCases {
            let row = LogRow(
                key: author.log(TestZone.id, lane),
                device: author.author.device,
                incarnation: author.author.incarnation,
                right: .zero
            )
            try store.save(row)
            let gap = SubtreeGap(level: Limits.subtreeLevelMax - 1, index: 0, hash: hash(1))
            let held = [
                StoredItem(first: 0, content: .gap(gap)),
                item(gap.endLeaf, operation(gap.endLeaf + 1, batch: last, in: lane)),
            ]
            try store.append(held, key: row.key)
            try require(store.items(row.key, from: 0, to: .max) == held)
            let end = gap.endLeaf + 1
            for refused in [
                item(end, operation(0, in: lane)),
                item(end, operation(end + 1, batch: BatchPlace(index: 1, count: 1), in: lane)),
                item(end, operation(end + 1, batch: BatchPlace(index: 0, count: 0), in: lane)),
                item(
                    end,
                    operation(end + 1, batch: BatchPlace(index: 0, count: Limits.batchOperationCountMax + 1), in: lane)
                ),
                item(Limits.counterMax, operation(Limits.counterMax + 1, in: lane)),
            ] {
                // Also the good one before it is not stored.
                try requireRefusal(&store) {
                    try $0.append([item(end, operation(end + 1, in: lane)), refused], key: row.key)
                }
                try require(store.items(row.key, from: 0, to: .max) == held)
            }
        }
    }
}
