import FuzzKit
import Records
import Wire

// The actions of the replica itself, and the laws about its contents.
extension ReplicaProgram {
    mutating func commit() {
        let author = ReplicaWorld.local
        let write = RecordWrite(
            name: input.one(of: ReplicaWorld.names),
            type: "t",
            set: [.init(field: "f\(input.below(2))", value: .int64(Int64(input.byte())))],
            increments: input.below(4) == 3 ? [.init(field: "n", amount: Int64(bitPattern: input.number()))] : [],
            delete: input.below(6) == 5,
            resolve: input.bool()
        )
        transact { replica in
            _ = try LocalWrites(
                zone: ReplicaWorld.zone,
                author: author.author,
                wallMilliseconds: 2_000,
                sign: { author.sign($0) }
            ).commit([WriteRequest([write])], in: &replica)
        }
    }

    mutating func cut() {
        isPlain = false
        let author = input.one(of: ReplicaWorld.authors)
        var cuts: [ActorLane: LogCut] = [:]
        for lane in Lane.allCases where input.bool() {
            let key = author.log(lane)
            let row = always("a log") { try replica.log(key) }
            let size = input.bool() ? row?.size ?? 0 : input.number() % 64
            let root = always("a root") {
                guard let row, size > 0, size <= row.size else { return nil as Hash? }
                return try StoredLog(row).root(at: size, in: replica)
            }
            cuts[key.actorLane] = LogCut(size: size, root: root ?? .zero)
        }
        let isRestored = input.below(4) == 3
        transact { replica in
            let rulings = try replica.logs(zone: ReplicaWorld.zone).filter { $0.device == author.author.device }
                .reduce(into: [LogKey: LogRuling]()) { rulings, row in
                    let cut = isRestored ? nil : cuts[row.key.actorLane] ?? LogCut(size: 0, root: .zero)
                    rulings[row.key] = LogRuling(role: row.role, cut: cut)
                }
            _ = try RulingApplier(of: ReplicaWorld.zone, wallMilliseconds: 3_000).rule(rulings, in: &replica)
        }
    }

    mutating func checkpoint() {
        isPlain = false
        let author = ReplicaWorld.local
        var held: [LogKey: UInt64] = [:]
        for row in always("logs", { try replica.logs(zone: ReplicaWorld.zone) }) {
            held[row.key] = input.below(4) == 3 ? UInt64(input.below(8)) : row.size
        }
        let others = ReplicaWorld.authors.map(\.author.device)
        let isAdoptedOnly = input.below(3) == 2
        transact { replica in
            if !isAdoptedOnly,
                let due = try Checkpoints(of: ReplicaWorld.zone).due(
                    acknowledged: Dictionary(uniqueKeysWithValues: others.map { ($0, held) }),
                    activeDevices: Set(others),
                    ownDevice: author.author.device,
                    nowMilliseconds: ReplicaLimits.checkpointIntervalMilliseconds * 2,
                    lastMilliseconds: 0,
                    in: replica
                )
            {
                try LocalWrites(
                    zone: ReplicaWorld.zone,
                    author: author.author,
                    wallMilliseconds: 4_000,
                    sign: { author.sign($0) }
                ).commitControl(.checkpoint(due), in: &replica)
            }
            _ = try Checkpoints(of: ReplicaWorld.zone).adopt(in: &replica)
            var last: PruningStep?
            while let step = try Pruning(of: ReplicaWorld.zone).step(after: last, limit: 2, in: replica) {
                _ = try step.prune(in: &replica)
                if step.isLast { break }
                last = step
            }
        }
    }

    mutating func proveFork() {
        isPlain = false
        let author = input.one(of: ReplicaWorld.authors)
        var heads: [SignedTreeHead] = []
        for _ in 0..<2 {
            let head = TreeHead(
                zone: ReplicaWorld.zone,
                device: author.author.device,
                incarnation: author.author.incarnation,
                lane: .data,
                size: 1 + UInt64(input.below(6)),
                root: Hash(Digest32(word0: UInt64(input.byte()), word1: 0, word2: 0, word3: 0)),
                right: .zero,
                seen: VersionVector()
            )
            heads.append(SignedTreeHead(head, signature: author.sign(head.encoded)))
        }
        let evidence = (0..<input.below(5)).map { index in
            Hash(Digest32(word0: UInt64(index), word1: 0, word2: 0, word3: 0))
        }
        let fork = UInt64(input.below(8))
        let path = ForkProof.Path(shared: fork == 0 ? [] : evidence)
        let root = fork == 0 ? .zero : evidence.first ?? .zero
        let proof = ForkProof((heads[0], path), (heads[1], path), forkPoint: fork, forkRoot: root)
        // A proof that does not decode never reaches the replica.
        guard let decoded = try? ForkProof(decoding: proof.encoded) else { return }
        transact { replica in
            _ = try decoded.record(actor: author.author.actor, wallMilliseconds: 5_000, in: &replica)
        }
    }

    // MARK: Laws

    func demandUnchanged(_ before: MemoryReplica, _ law: String) {
        always("what is held") {
            demand(try before.logs(zone: ReplicaWorld.zone) == replica.logs(zone: ReplicaWorld.zone), law)
            demand(before.allRecords(zone: ReplicaWorld.zone) == replica.allRecords(zone: ReplicaWorld.zone), law)
            demand(try before.zone(ReplicaWorld.zone) == replica.zone(ReplicaWorld.zone), law)
            demand(before.changes.count == replica.changes.count, law)
        }
    }

    func demandConsistent() {
        always("what is held") {
            for row in try replica.logs(zone: ReplicaWorld.zone) {
                demand(row.appliedSize <= row.size, "no more is applied than is held")
                demand(row.frontier.size == row.size, "the edge is at the end")
                let items = try replica.items(row.key, from: 0, to: .max)
                var frontier = TreeFrontier()
                for item in items {
                    switch item.content {
                    case .operation(let stored): frontier.append(stored.operation.header.leafHash)
                    case .gap(let gap): demand(frontier.append(subtree: gap.hash, level: gap.level), "gaps are aligned")
                    }
                }
                demand(frontier == row.frontier, "the tree is that of the items")
            }
            for row in replica.allRecords(zone: ReplicaWorld.zone) {
                _ = try row.content()
                let siblings = try replica.siblings(zone: ReplicaWorld.zone, tag: row.tag)
                if let merged = Merge.merge(siblings) {
                    // A deleted record has no version that a caller could name; a part of the operations that delete
                    // it may be pruned.
                    let isVersion = merged.version == row.version || merged.isDeleted
                    demand(isVersion, "a record's version is that of its siblings")
                    demand(merged.isDeleted == row.isDeleted, "a record is deleted when its siblings say so")
                }
            }
            _ = try ZonePositions(of: ReplicaWorld.zone).digest(in: replica)
        }
    }

    /// Describes the sizes of all logs, for a message.
    private func describe(_ replica: MemoryReplica) throws -> String {
        try replica.logs(zone: ReplicaWorld.zone).map { row in
            let heads = try replica.heads(row.key, above: 0, limit: 100).map { head in
                "\(head.size)\(head.signed.head.seen)"
            }
            return "\(row.key.actor.shortText).\(row.key.lane) \(row.appliedSize)/\(row.size) \(heads)"
        }
        .joined(separator: "; ")
    }

    /// A fresh replica is served everything, over and over, until nothing more comes.
    func checkServing() {
        var fresh = ReplicaWorld.empty
        for _ in 0..<12 {
            var isMoving = false
            for row in always("logs", { try replica.logs(zone: ReplicaWorld.zone) }) {
                let held = always("a log") { try fresh.log(row.key)?.size ?? 0 }
                do {
                    guard let run = try RunServing(row.key).run(from: held, byteCount: 1 << 20, in: replica) else {
                        continue
                    }
                    var next = fresh
                    let receipt = try RunReceiver(
                        try Run(decoding: run.encoded),
                        actor: row.key.actor,
                        wallMilliseconds: 9_000
                    ).receive(in: &next)
                    fresh = next
                    if case .stored = receipt { isMoving = true }
                } catch {
                    demand(!isPlain, "what is served is taken: \(error)")
                }
            }
            if !isMoving { break }
        }
        guard isPlain else { return }
        always("digests") {
            let zone = ReplicaWorld.zone
            demand(
                try ZonePositions(of: zone).digest(in: fresh) == ZonePositions(of: zone).digest(in: replica),
                "same logs"
            )
            let (held, served) = (replica.allRecords(zone: zone).count, fresh.allRecords(zone: zone).count)
            let logs = try replica.logs(zone: zone)
            for row in logs {
                let applied = try fresh.log(row.key)?.appliedSize ?? 0
                try demand(applied <= row.appliedSize, "fewer heads set no more free: \(try describe(fresh))")
            }
            // An operation that waits for one that no peer holds may have come under an earlier head, under which it
            // did not wait.
            guard logs.allSatisfy({ $0.appliedSize == $0.size }) else { return }
            let isSame = held == served && fresh.allRecords(zone: zone) == replica.allRecords(zone: zone)
            try demand(isSame, "same logs make the same records: \(try describe(fresh)), not \(try describe(replica))")
        }
    }
}
