import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `A content that is evicted` {
    private static let large = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let day = Evictions.promiseMilliseconds

    private func held(
        _ counts: [Int] = [2]
    ) throws -> (neighbours: Neighbours, zone: ZoneID, payload: PayloadID) {
        try Neighbours.holding(Self.large, counts)
    }

    private func isHeld(_ word: RetentionStatus.Word?) -> Bool { if case .promised? = word { true } else { false } }

    // MARK: The drop

    @Test func `is dropped once another device has promised to keep it, and comes back on request alone`() throws {
        var (neighbours, zone, payload) = try held()
        #expect(try neighbours.begin(payload, on: 0) == .begun(zones: [zone]))
        #expect(try isHeld(neighbours.retain(payload, on: 1, zone: zone)) == true)
        let done = try neighbours.evict(payload, by: 1, on: 0)
        #expect(done.reply == .evicted(byteCount: UInt64(Self.large.count)))
        #expect(done.notice.assets == [payload] && done.notice.number != nil)
        #expect(done.notice.needsAssetRound, "the next round drops the chunks")
        #expect(try neighbours.assetState(payload, on: 0) == .evicted)
        #expect(try neighbours.homes[0].store.eviction(of: payload) == nil)
        let row = try #require(try neighbours.row(payload, on: 0))
        #expect(row.sender == neighbours.homes[1].keys.deviceID, "the holder is asked first when it is wanted again")
        try neighbours.look(0)
        #expect(try neighbours.homes[0].store.payload(number: 1) == nil, "no chunk of it is left")
        #expect(try neighbours.bytes(of: payload, on: 0) == nil)
        // The default policy fetches everything, and not this.
        try neighbours.setPolicy(.upTo(.max), on: 0, zone: zone)
        try neighbours.look(0)
        #expect(try neighbours.assetState(payload, on: 0) == .evicted && neighbours.wants(0).isEmpty)
        try neighbours.change(0) { _ = try Assets($0).fetch(payload, zone: zone, in: &$2) }
        try neighbours.fetchPayloads(from: 1, on: 0)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
        #expect(try neighbours.assetState(payload, on: 0) == .present)
    }

    @Test func `stays where its attempt is over`() throws {
        var (neighbours, _, payload) = try held()
        _ = try neighbours.begin(payload, on: 0)
        let row = EvictionRow(payload: payload, attempt: 1)
        let other = EvictionRow(payload: payload, attempt: 2)
        #expect(try neighbours.change(0) { try Evictions($0).end(other, in: &$2) }.number == nil)
        #expect(try neighbours.change(0) { try Evictions($0).end(row, in: &$2) }.number != nil)
        #expect(try neighbours.evict(payload, by: 1, on: 0).reply == .refused(.ended))
        // An attempt that a failure has left behind gives way to the next one, whose number another drop does not have.
        _ = try neighbours.begin(payload, attempt: 3, on: 0)
        _ = try neighbours.begin(payload, attempt: 4, on: 0)
        #expect(try neighbours.evict(payload, attempt: 3, by: 1, on: 0).reply == .refused(.ended))
        #expect(try neighbours.homes[0].store.evictions(limit: 9) == [EvictionRow(payload: payload, attempt: 4)])
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
        #expect(try neighbours.evict(payload, attempt: 4, by: 1, on: 0).reply != .refused(.ended))
    }

    @Test func `stays where a reason has come up since the attempt began`() throws {
        var (neighbours, zone, payload) = try held([1, 1])
        _ = try neighbours.begin(payload, on: 0)
        neighbours.pass(1)
        _ = try neighbours.send(payload: payload, on: 0, zone: zone)
        #expect(try neighbours.evict(payload, by: 1, on: 0).reply == .refused(.message))
        #expect(try neighbours.homes[0].store.eviction(of: payload) == nil, "the attempt is over")
        #expect(try neighbours.begin(payload, on: 0) == .refused(.message))
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
    }

    @Test func `stays where the promises are over by the clocks`() throws {
        var (neighbours, _, payload) = try held()
        let now = neighbours.homes[0].wall
        for (end, isDropped) in [(now, false), (now + 1, true)] {
            _ = try neighbours.begin(payload, on: 0)
            let done = try neighbours.evict(payload, promisedUntil: end, by: 1, on: 0).reply
            #expect((done == .refused(.stale)) == !isDropped, "\(end)")
        }
        #expect(try neighbours.assetState(payload, on: 0) == .evicted)
    }

    @Test func `is one that is here, and that a record of a live zone names`() throws {
        var (neighbours, zone, payload) = try held()
        #expect(try neighbours.begin(PayloadID(Hash.zero.digest), on: 0) == .refused(.absent))
        let upload = try neighbours.handIn([1, 2, 3], on: 0, zone: zone)
        #expect(try neighbours.begin(upload, on: 0) == .refused(.unnamed))
        try neighbours.attach([upload], to: "note", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        #expect(try neighbours.assetState(upload, on: 1) == .queued)
        #expect(try neighbours.begin(upload, on: 1) == .refused(.incomplete))
        #expect(try neighbours.begin(upload, on: 0) == .begun(zones: [zone]))
        try neighbours.change(0) { _ = try ZoneLifecycle($0).delete(zone, reason: "old", in: &$2) }
        #expect(try neighbours.begin(payload, on: 0) == .refused(.unnamed))
        #expect(try neighbours.evict(upload, by: 1, on: 0).reply == .refused(.unnamed))
    }

    // MARK: Promises

    @Test func `is promised by no device that is about to evict it`() throws {
        var (neighbours, zone, payload) = try held()
        _ = try neighbours.begin(payload, on: 0)
        #expect(try neighbours.retain(payload, on: 0, zone: zone) == .evicting)
        #expect(try neighbours.homes[0].store.retention(of: payload) == nil)
        let question = RetentionRequest(zone: zone, asksForPromises: false, payloads: [payload])
        let said = try Evictions(neighbours.committer(0)).holding(question, in: neighbours.homes[0].store)
        #expect(said.statuses.map(\.word) == [.evicting])
    }

    @Test func `is not evicted for a day by a device that has promised it`() throws {
        var (neighbours, zone, payload) = try held()
        let end = neighbours.homes[0].wall + Self.day
        #expect(try neighbours.retain(payload, on: 0, zone: zone) == .promised(until: end))
        #expect(try neighbours.promise(of: payload, on: 0) == end)
        #expect(try neighbours.begin(payload, on: 0) == .refused(.promised(until: end)))
        neighbours.pass(Self.day - 1)
        #expect(try neighbours.begin(payload, on: 0) == .refused(.promised(until: end)))
        neighbours.pass(1)
        #expect(try neighbours.promise(of: payload, on: 0) == nil)
        #expect(try neighbours.begin(payload, on: 0) == .begun(zones: [zone]))
    }

    @Test func `is promised again without a write while the promise is fresh`() throws {
        var (neighbours, zone, payload) = try held()
        let end = neighbours.homes[0].wall + Self.day
        let request = RetentionRequest(zone: zone, asksForPromises: true, payloads: [payload])
        func retain() throws -> Changed<RetentionAnswer> {
            try neighbours.change(0) { try Evictions($0).retain(request, in: &$2) }
        }
        #expect(try retain().notice.number != nil)
        neighbours.pass(60 * 60 * 1_000 - 1)
        let again = try retain()
        #expect(again.notice.number == nil && again.reply.statuses.map(\.word) == [.promised(until: end)])
        neighbours.pass(1)
        let later = try retain()
        #expect(later.notice.number != nil)
        #expect(later.reply.statuses.map(\.word) == [.promised(until: end + 60 * 60 * 1_000)])
    }

    @Test func `is absent to a question under a zone that does not name it`() throws {
        var (neighbours, zone, payload) = try held()
        let other = try neighbours.zone(of: 0)
        try neighbours.settle(other)
        #expect(try neighbours.retain(payload, on: 0, zone: other) == .absent)
        #expect(try neighbours.retain(payload, on: 0, zone: ZoneID(Hash.zero.digest)) == .absent)
        #expect(try neighbours.retain(PayloadID(Hash.zero.digest), on: 0, zone: zone) == .absent)
        #expect(try neighbours.homes[0].store.retentions(endedBy: 0, beyond: 0, limit: 9).isEmpty)
        let question = RetentionRequest(zone: zone, asksForPromises: false, payloads: [payload])
        let said = try Evictions(neighbours.committer(0)).holding(question, in: neighbours.homes[0].store)
        #expect(said.statuses.map(\.word) == [.held])
        #expect(try neighbours.homes[0].store.retention(of: payload) == nil, "a question binds no device")
    }

    @Test func `is not promised where its end is damaged, and is fetched again`() throws {
        var (neighbours, zone, payload) = try held()
        let number = try #require(try neighbours.row(payload, on: 1)?.number)
        let chunk = try #require(try neighbours.homes[1].store.chunk(of: number, at: 2))
        try neighbours.change(1) { try $2.save(ChunkRow(position: 2, hash: chunk.hash), of: number) }
        let request = RetentionRequest(zone: zone, asksForPromises: true, payloads: [payload])
        let answer = try neighbours.change(1) { try Evictions($0).retain(request, in: &$2) }
        #expect(answer.reply.statuses.map(\.word) == [.absent] && answer.notice.hasWants)
        #expect(try neighbours.wants(1).map(\.missing) == [[2]])
        #expect(try neighbours.retain(payload, on: 1, zone: zone) == .absent)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try isHeld(neighbours.retain(payload, on: 1, zone: zone)) == true)
    }

    @Test func `is not promised again where its end was lost since the promise`() throws {
        var (neighbours, zone, payload) = try held()
        #expect(try isHeld(neighbours.retain(payload, on: 1, zone: zone)) == true)
        let number = try #require(try neighbours.row(payload, on: 1)?.number)
        let chunk = try #require(try neighbours.homes[1].store.chunk(of: number, at: 2))
        try neighbours.change(1) { try $2.save(ChunkRow(position: 2, hash: chunk.hash), of: number) }
        #expect(try neighbours.retain(payload, on: 1, zone: zone) == .absent)
        #expect(try neighbours.wants(1).map(\.missing) == [[2]])
        #expect(try neighbours.promise(of: payload, on: 1) != nil, "its sound chunks stay")
    }

    @Test func `that is damaged where it is promised is not given up`() throws {
        var (neighbours, zone, payload) = try held()
        #expect(try isHeld(neighbours.retain(payload, on: 1, zone: zone)) == true)
        let number = try #require(try neighbours.row(payload, on: 1)?.number)
        let chunk = try #require(try neighbours.homes[1].store.chunk(of: number, at: 0))
        try neighbours.change(1) { committer, _, store in
            try store.save(ChunkRow(position: 0, hash: chunk.hash), of: number)
            _ = try Payloads(committer).recheck(number: number, position: 0, in: &store)
        }
        func cancel() throws -> CommitNotice {
            try neighbours.change(1) { try Assets($0).cancel(payload, in: &$2) }
        }
        #expect(try cancel().number == nil, "two sound chunks may be the only ones")
        neighbours.pass(Self.day)
        #expect(try cancel().number == nil, "all of it was here, and no other device need have the rest")
    }

    @Test func `is dropped with the promise when no record names it`() throws {
        var (neighbours, zone, payload) = try held()
        neighbours.pass(1)
        _ = try neighbours.delete("photo", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        neighbours.pass(Assets.unnamedMilliseconds + ClockWitnesses.marginMilliseconds)
        // A promise of a moment ago, as an evictor has it that does not know of the deletion.
        try neighbours.change(1) { try $2.save(RetentionRow(payload: payload, until: $0.wallMilliseconds + 1_000)) }
        #expect(try neighbours.retain(payload, on: 1, zone: zone) == .absent)
        neighbours.pass(1)
        try neighbours.look(1)
        #expect(try neighbours.row(payload, on: 1) == nil)
        #expect(try neighbours.homes[1].store.retention(of: payload) == nil)
    }

    @Test func `has a promise that ends with the clock, and never later than a day from now`() throws {
        var (neighbours, zone, payload) = try held()
        let home = neighbours.homes[1].wall
        // Its clock was years ahead.
        neighbours.homes[1].wall += 1_000 * Self.day
        #expect(try isHeld(neighbours.retain(payload, on: 1, zone: zone)) == true)
        neighbours.homes[1].wall = home
        try neighbours.look(1)
        #expect(try neighbours.promise(of: payload, on: 1) == home + Self.day)
        neighbours.pass(Self.day)
        #expect(try Assets(neighbours.committer(1)).isDue(in: neighbours.homes[1].store))
        try neighbours.look(1)
        #expect(try neighbours.homes[1].store.retention(of: payload) == nil)
    }

    @Test func `is not promised by a device that was removed from its account`() throws {
        var (neighbours, zone, payload) = try held()
        let keys = neighbours.homes[0].keys
        let entry = try neighbours.logs[0].removingDevice(
            neighbours.homes[1].keys.deviceID,
            witness: keys.deviceID,
            signer: .device(keys),
            using: &neighbours.random
        )
        _ = try neighbours.logs[0].insert(entry.encoded)
        #expect(try neighbours.retain(payload, on: 1, zone: zone) == .refused)
    }
}
