import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `The commits of a node` {
    /// A household whose first device has made a zone.
    private func founded(_ count: Int = 2, seed: UInt64 = 1) throws -> (household: Household, zone: ZoneID) {
        var household = try Household(count, seed: seed)
        let (zone, notice) = try ZoneLifecycle(household.committer(0)).create(
            household.genesis(),
            in: &household.homes[0].store
        )
        #expect(notice.zoneEvents.map(\.zone) == [zone])
        #expect(notice.zones.first?.before.map(\.value) == [0])
        return (household, zone)
    }

    @Test func `a write is reported with the log that grew and its earlier size`() throws {
        var (household, zone) = try founded()
        let earlier = try household.write("a", "1", on: 0, zone: zone)
        let notice = try household.write("b", "2", on: 0, zone: zone)
        let key = LogKey(
            zone: zone,
            actor: try household.committer(0).author(in: zone, household.homes[0].store).actor,
            lane: .data
        )
        #expect(notice.zones.map(\.before) == [[key: 1]])
        #expect(notice.zones.first?.snapshot.size(key) == 2)
        #expect(!notice.feed.isEmpty)
        #expect(notice.number == earlier.number.map { $0 + 1 })
    }

    @Test func `a device applies the writes of another one, and both have equal snapshots`() throws {
        var (household, zone) = try founded()
        try household.write("a", "1", on: 0, zone: zone)
        let outcomes = try household.pull(zone, from: 0, to: 1)
        #expect(outcomes == [.durable(size: 1, operations: 1), .durable(size: 1, operations: 1)])
        try household.write("a", "2", on: 1, zone: zone)
        try household.pull(zone, from: 1, to: 0)
        #expect(try household.text("a", on: 0, zone: zone) == .string("2"))
        let snapshots = try (0..<2).map { try ZoneViews(household.committer($0)).snapshots(household.homes[$0].store) }
        #expect(snapshots[0] == snapshots[1])
    }

    @Test func `a zone of another account is not learnt`() throws {
        var (household, _) = try founded()
        let stranger = try Household(1, seed: 9).genesis()
        let member = household.committer(0)
        #expect(throws: CommitError.self) {
            try ZoneLifecycle(member).learn(ZoneID(stranger), genesis: stranger, in: &household.homes[0].store)
        }
    }

    @Test func `a run of an author that the account does not know is not kept, and blames no device`() throws {
        var (household, zone) = try founded(1)
        var stranger = try Household(1, seed: 9)
        let committer = stranger.committer(0)
        try stranger.homes[0].store.createZone(
            zone,
            genesis: household.genesis(),
            tagKey: [UInt8](repeating: 1, count: 32)
        )
        try stranger.write("a", "1", on: 0, zone: zone)
        let key = try #require(try stranger.homes[0].store.logs(zone: zone).first?.key)
        let run = try #require(
            try RunExchange(committer).run(key, from: 0, byteCount: 1_000, in: stranger.homes[0].store)
        )
        // The sender may not know yet that the admission of the author is void, or know more of the account's log.
        #expect(household.apply(run, key: key, on: 0).outcome == .misplaced)
        #expect(try household.homes[0].store.log(key) == nil)
    }

    @Test func `a store that lives twice is found out, and its true owner begins another log`() throws {
        var (household, zone) = try founded()
        let copied = household.homes[0]
        try household.write("a", "one life", on: 0, zone: zone)
        try household.pull(zone, from: 0, to: 1)
        household.homes[0] = copied
        try household.write("a", "another life", on: 0, zone: zone)
        let committer = household.committer(1)
        let key = LogKey(
            zone: zone,
            actor: try household.committer(0).author(in: zone, copied.store).actor,
            lane: .data
        )
        let run = try #require(
            try RunExchange(committer).run(key, from: 0, byteCount: 1_000, in: household.homes[1].store)
        )
        let (notice, outcome) = household.apply(run, key: key, on: 0)
        guard case .fork(let proof) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(notice?.forks.map(\.device) == [household.homes[0].keys.deviceID])
        let renewed = try #require(notice?.renewed)
        #expect(try household.homes[0].store.incarnation() == renewed)
        // The other one learns of it by the proof alone, and keeps its own incarnation.
        let told = try RunExchange(committer).record(proof, random: &household.random, in: &household.homes[1].store)
        #expect(told.forks.count == 1 && told.renewed == nil)
        #expect(try RunExchange(committer).forks(household.homes[1].store).count == 1)
        #expect(
            try RunExchange(committer).record(proof, random: &household.random, in: &household.homes[1].store).forks
                .isEmpty
        )
        // A device without the zone accepts no proof of its logs: any program can make keys, and fork logs under them.
        var stranger = try Household(1, seed: 9)
        let other = stranger.committer(0)
        #expect(throws: ReplicaError.self) {
            try RunExchange(other).record(proof, random: &stranger.random, in: &stranger.homes[0].store)
        }
    }

    @Test func `a store that is behind a head of its own log begins another, once, if it has signed the head`() throws {
        var (household, zone) = try founded()
        let key = LogKey(
            zone: zone,
            actor: try household.committer(0).author(in: zone, household.homes[0].store).actor,
            lane: .control
        )
        let committer = household.committer(0)
        let newest = try #require(try household.homes[0].store.head(key, atOrBelow: .max)).signed.head
        let (own, other) = (household.homes[0].keys, household.homes[1].keys)
        for (size, signer, isRenewed) in [
            (UInt64(1), own, false), (2, other, false), (2, own, true), (9, own, false),
        ] {
            var head = newest
            head.size = size
            let signature = signer.sign(head.encoded, context: .treeHead)
            let notice = try RollbackRecovery(committer).renewIfBehind(
                SignedTreeHead(head, signature: signature),
                random: &household.random,
                in: &household.homes[0].store
            )
            #expect((notice.renewed != nil) == isRenewed, "size \(size)")
        }
    }

    @Test func `writes of a removed device beyond its cut have no effect, and reapplying cuts changes nothing`()
        throws
    {
        var (household, zone) = try founded()
        try household.pull(zone, from: 0, to: 1)
        try household.write("kept", "1", on: 1, zone: zone)
        try household.pull(zone, from: 1, to: 0)
        let removed = household.homes[1].keys.deviceID
        let held = try ZonePositions(of: zone).all(in: household.homes[0].store)
            .filter { $0.row.device == removed && $0.size > 0 }
            .map { LogPosition(actor: $0.row.key.actor, lane: $0.row.key.lane, size: $0.size, root: $0.root) }
        try household.write("late", "2", on: 1, zone: zone)
        try household.pull(zone, from: 1, to: 0)
        #expect(try household.text("late", on: 0, zone: zone) == .string("2"))
        let entry = try household.homes[0].log.removingDevice(
            removed,
            witness: household.homes[0].keys.deviceID,
            signer: .device(household.homes[0].keys),
            using: &household.random
        )
        try household.homes[0].log.insert(entry.encoded)
        let committer = household.committer(0)
        // The statement of a device that had not seen the last write.
        let said = DeviceCuts(devices: [removed], cuts: held)
        #expect(
            try ControlStatements(committer).say(.deviceCuts(said), zone: zone, in: &household.homes[0].store).feed
                .isEmpty == false
        )
        #expect(try household.text("late", on: 0, zone: zone) == nil)
        #expect(try household.text("kept", on: 0, zone: zone) == .string("1"))
        let again = try AccountUpkeep(committer).applyCuts(in: &household.homes[0].store)
        #expect(again.number == nil && again.zones.isEmpty)
    }

    @Test func `records of a left account are written again in the present one, and the old zone is sealed`() throws {
        var (household, zone) = try founded(1)
        for index in 0..<5 { try household.write("r\(index)", "\(index)", on: 0, zone: zone) }
        household.homes[0].log = try Household(1, seed: 5).homes[0].log
        let committer = household.committer(0)
        #expect(try AccountMove(committer).oldZones(household.homes[0].store) == [zone])
        let notice = try AccountMove(committer).move(
            zone,
            random: &household.random,
            in: &household.homes[0].store
        )
        let new = try #require(notice.zoneEvents.first?.zone)
        #expect(try household.homes[0].store.recordCount(zone: new) == 5)
        #expect(try household.text("r3", on: 0, zone: new) == .string("3"))
        #expect(try household.homes[0].store.zone(zone)?.state == .sealed)
        #expect(try AccountMove(committer).oldZones(household.homes[0].store).isEmpty)
    }

    @Test func `a checkpoint that is stated only above the cut of its maker is restated by others`() throws {
        var household = try Household(3)
        let zone = try ZoneLifecycle(household.committer(0)).create(household.genesis(), in: &household.homes[0].store)
            .0
        let author = try household.committer(0).author(in: zone, household.homes[0].store)
        for text in ["1", "2", "3"] { try household.write("a", text, on: 0, zone: zone) }
        try household.pull(zone, from: 0, to: 1)
        let (maker, late) = (household.homes[1].keys.deviceID, household.homes[2].keys.deviceID)
        let held = [LogKey(zone: zone, actor: author.actor, lane: .data): UInt64(3)]
        try PeerMemory(household.committer(1)).acknowledged(by: late, held, in: &household.homes[1].store)
        household.homes[1].wall += 24 * 60 * 60 * 1_000
        let made = try CheckpointUpkeep(household.committer(1)).settle(zone, in: &household.homes[1].store).checkpoint
        #expect(made != nil)
        try household.pull(zone, from: 1, to: 0)
        #expect(try household.homes[0].store.zone(zone)?.adopted == made)
        let removal = try household.homes[2].log.removingDevice(
            maker,
            witness: household.homes[2].keys.deviceID,
            signer: .device(household.homes[2].keys),
            using: &household.random
        )
        for index in [0, 2] {
            try household.homes[index].log.insert(removal.encoded)
            _ = try AccountUpkeep(household.committer(index)).applyCuts(in: &household.homes[index].store)
        }
        // In the transaction in which the removal came.
        #expect(try ZoneUpkeep(household.committer(0)).maintain(zone, in: &household.homes[0].store).number == nil)
        try household.pull(zone, from: 0, to: 2)
        #expect(try household.text("a", on: 2, zone: zone) == .string("3"))
        #expect(try household.homes[2].store.zone(zone)?.adopted == made)
    }

    @Test func `a checkpoint waits for the acknowledgements of other devices`() throws {
        var (household, zone) = try founded()
        try household.write("a", "1", on: 0, zone: zone)
        household.homes[0].wall += 2 * 24 * 60 * 60 * 1_000
        let committer = household.committer(0)
        let (first, second) = (household.homes[0], household.homes[1])
        #expect(try CheckpointUpkeep(committer).settle(zone, in: &household.homes[0].store).checkpoint == nil)
        let sizes = try Dictionary(uniqueKeysWithValues: first.store.logs(zone: zone).map { ($0.key, $0.size) })
        try PeerMemory(committer).acknowledged(by: second.keys.deviceID, sizes, in: &household.homes[0].store)
        let settled = try CheckpointUpkeep(committer).settle(zone, in: &household.homes[0].store)
        #expect(settled.checkpoint?.liveCount == 1)
        #expect(try household.homes[0].store.zone(zone)?.adopted == settled.checkpoint)
        #expect(try CheckpointUpkeep(committer).settle(zone, in: &household.homes[0].store).checkpoint == nil)
    }

    @Test func `a checkpoint waits ninety days for a device that was never met`() throws {
        var (household, zone) = try founded()
        try household.write("a", "1", on: 0, zone: zone)
        _ = try AccountUpkeep(household.committer(0)).applyCuts(in: &household.homes[0].store)
        household.homes[0].wall += DeviceTimes.lapseMilliseconds
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint == nil
        )
        household.homes[0].wall += 1
        let other = household.homes[1].keys.deviceID
        // Not while others show that this clock is the one that is ahead.
        household.homes[0].witnesses = ClockWitnesses(count: 1, median: household.homes[0].wall - 1)
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint == nil
        )
        household.homes[0].witnesses = .none
        let made = try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint
        #expect(made?.lapsed.contains(other) == true)
    }

    @Test func `a checkpoint waits again for a device that was met after it had been silent`() throws {
        var (household, zone) = try founded()
        try household.write("a", "1", on: 0, zone: zone)
        let others = household.homes.dropFirst().map(\.keys.deviceID)
        _ = try AccountUpkeep(household.committer(0)).applyCuts(in: &household.homes[0].store)
        household.homes[0].wall += DeviceTimes.lapseMilliseconds + 1
        for other in others {
            try PeerMemory(household.committer(0)).met(other, at: nil, in: &household.homes[0].store)
        }
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint == nil
        )
    }

    @Test func `a checkpoint waits for devices met or added while the clock was behind and others showed more`() throws
    {
        var (household, zone) = try founded()
        let (wall, years) = (household.homes[0].wall, UInt64(5) * 31_557_600_000)
        try household.write("a", "1", on: 0, zone: zone)
        let others = household.homes.dropFirst().map(\.keys.deviceID)
        // Its battery is empty: it starts years ago, and peers report it.
        household.homes[0].wall = wall - years
        household.homes[0].witnesses = ClockWitnesses(count: 1, median: wall)
        _ = try AccountUpkeep(household.committer(0)).applyCuts(in: &household.homes[0].store)
        for other in others.prefix(1) {
            try PeerMemory(household.committer(0)).met(other, at: nil, in: &household.homes[0].store)
        }
        household.homes[0].wall = wall + 60_000
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint == nil
        )
    }

    @Test func `a device was not met longer ago because it is met again while the clock is behind`() throws {
        var (household, zone) = try founded()
        try household.write("a", "1", on: 0, zone: zone)
        let (wall, other) = (household.homes[0].wall, household.homes[1].keys.deviceID)
        try PeerMemory(household.committer(0)).met(other, at: nil, in: &household.homes[0].store)
        household.homes[0].wall = wall - 5 * 31_557_600_000
        try PeerMemory(household.committer(0)).met(other, at: nil, in: &household.homes[0].store)
        household.homes[0].wall = wall + 60_000
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint == nil
        )
    }

    @Test func `times that were noted while the clock was ahead stop no checkpoint once it is right`() throws {
        var (household, zone) = try founded()
        let (wall, years) = (household.homes[0].wall, UInt64(30) * 31_557_600_000)
        let others = household.homes.dropFirst().map(\.keys.deviceID)
        func acknowledge() throws {
            let sizes = try Dictionary(
                uniqueKeysWithValues: household.homes[0].store.logs(zone: zone).map { ($0.key, $0.size) }
            )
            for other in others {
                try PeerMemory(household.committer(0)).acknowledged(by: other, sizes, in: &household.homes[0].store)
            }
        }
        try household.write("a", "1", on: 0, zone: zone)
        household.homes[0].wall = wall + years
        for other in others {
            try PeerMemory(household.committer(0)).met(other, at: nil, in: &household.homes[0].store)
        }
        try acknowledge()
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint != nil
        )
        // The clock is right again, and others confirm it.
        household.homes[0].wall = wall + 60_000
        #expect(try DeviceTimes(household.committer(0)).correct(in: &household.homes[0].store).number == nil)
        household.homes[0].witnesses = ClockWitnesses(count: 2, median: wall + 60_000)
        #expect(try DeviceTimes(household.committer(0)).hasToCorrect(in: household.homes[0].store))
        #expect(try DeviceTimes(household.committer(0)).correct(in: &household.homes[0].store).number != nil)
        #expect(try !DeviceTimes(household.committer(0)).hasToCorrect(in: household.homes[0].store))
        let seen = try household.homes[0].store.peers().map(\.lastSeenMilliseconds)
        #expect(seen.allSatisfy { $0 == wall + 60_000 })
        try household.write("a", "2", on: 0, zone: zone)
        try acknowledge()
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint != nil
        )
    }

    @Test func `a met device is kept with its last addresses`() throws {
        var (household, _) = try founded()
        let other = household.homes[1].keys.deviceID
        let committer = household.committer(0)
        for address in ["a:1", "b:2", "a:1", "c:3", "d:4", "e:5"] {
            try PeerMemory(committer).met(other, at: address, in: &household.homes[0].store)
        }
        let row = try #require(try household.homes[0].store.peers().first)
        #expect(row.addresses == ["e:5", "d:4", "c:3", "a:1"])
        #expect(row.lastSeenMilliseconds == household.homes[0].wall)
    }

    @Test func `the same history from the same seed gives the same bytes`() throws {
        func digest(_ seed: UInt64) throws -> [Hash] {
            var (household, zone) = try founded(3, seed: seed)
            for index in 1..<3 { try household.pull(zone, from: 0, to: index) }
            for round in 0..<12 {
                try household.write("r\(round % 4)", "\(round)", on: round % 3, zone: zone)
                try household.pull(zone, from: round % 3, to: (round + 1) % 3)
            }
            return try (0..<3).flatMap { index in
                try ZoneViews(household.committer(index)).snapshots(household.homes[index].store).map(\.state)
            }
        }
        let first = try digest(3)
        for _ in 0..<5 { #expect(try digest(3) == first) }
        #expect(try digest(4) != first)
    }
}

@Suite struct `The answer about a run` {
    @Test func `explains the failure of the storage`() throws {
        let run = Sample.run(1, from: 0, to: 1)
        let failures: [(any Error, RunOutcome)] = [
            (StorageError(code: .diskFull, message: ""), .storageFull),
            (StorageError(code: .inputOutput, message: ""), .storageFailed),
            (CancellationError(), .storageFailed),
            (ReplicaError.unknownZone(Sample.zone(0)), .misplaced),
            (ReplicaError.zoneClosed(Sample.zone(0)), .unwanted(size: run.signedHead.head.size)),
            (ReplicaError.invalidRun(Sample.log(1), .rootMismatch), .contradiction),
            // Damage in this store is no fault of the sender.
            (ReplicaError.damaged(""), .storageFailed),
            (ReplicaError.unknownLog(Sample.log(1)), .storageFailed),
        ]
        for (error, expected) in failures {
            #expect(RunOutcome(.failure(error), of: run) == expected, "\(error)")
        }
        #expect(RunOutcome(.success(.misplaced), of: run) == .misplaced)
    }
}

@Suite struct `A store's lifetime` {
    private func begin(
        _ store: inout MemoryStore,
        hasKeys: Bool = true,
        sentinel: IncarnationDecision.SentinelState,
        random: inout some RandomNumberGenerator
    ) throws -> StoreLifetime {
        try StoreLifetime.begin(
            hasKeys: hasKeys,
            sentinel: sentinel,
            machine: [UInt8](repeating: 1, count: 44),
            random: &random,
            in: &store
        )
    }

    @Test func `is continued only by a store that nothing speaks against`() throws {
        var random = SeededGenerator(seed: 1)
        var store = MemoryStore(feedIdentity: [UInt8](repeating: 7, count: 16))
        let first = try begin(&store, hasKeys: false, sentinel: .missing, random: &random)
        #expect(first.decision == .firstStart && !first.isRecovering && first.commitNumber == 1)
        func sentinel(_ number: UInt64) -> IncarnationDecision.SentinelState {
            let machine = [UInt8](repeating: 1, count: 44)
            return .present(Sentinel(incarnation: first.incarnation, commitNumber: number, machine: machine))
        }
        let second = try begin(&store, sentinel: sentinel(1), random: &random)
        #expect(second.decision == .continue && second.incarnation == first.incarnation && second.commitNumber == 2)
        let third = try begin(&store, sentinel: sentinel(9), random: &random)
        #expect(third.decision == .renew(.sentinelAhead(sentinel: 9, store: 2)) && third.isRecovering)
        #expect(third.incarnation != first.incarnation)
        #expect(try store.incarnation() == third.incarnation)
        var lost = MemoryStore(feedIdentity: [UInt8](repeating: 7, count: 16))
        #expect(try begin(&lost, sentinel: sentinel(9), random: &random).decision == .recovering(.missing))
    }
}
