import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `A content that no record names any more` {
    private static let large = [UInt8](repeating: 7, count: 150_000)

    /// A content that two devices have, with the record that names it.
    private func held(_ counts: [Int] = [1, 1]) throws -> (neighbours: Neighbours, zone: ZoneID, payload: PayloadID) {
        var neighbours = try Neighbours(counts, seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        for account in 1..<counts.count { _ = try neighbours.grant(.write, to: account, by: 0, zone: zone) }
        try neighbours.settle(zone)
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        try neighbours.attach([payload], to: "photo", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        for index in neighbours.homes.indices.dropFirst() { try neighbours.fetchPayloads(from: 0, on: index) }
        return (neighbours, zone, payload)
    }

    @Test func `is kept for seven days, and then dropped everywhere`() throws {
        var (neighbours, zone, payload) = try held()
        neighbours.pass(1)
        #expect(try neighbours.delete("photo", on: 0, zone: zone) == nil)
        try neighbours.exchangeAssets(zone)
        neighbours.pass(Assets.unnamedMilliseconds - 1)
        try neighbours.exchangeAssets(zone)
        #expect(try (0...1).allSatisfy { try neighbours.bytes(of: payload, on: $0) == Self.large })
        neighbours.pass(ClockWitnesses.marginMilliseconds + 2)
        for index in 0...1 {
            let notice = try neighbours.look(index)
            #expect(notice.assets == [payload])
            #expect(try neighbours.row(payload, on: index) == nil)
            #expect(try neighbours.homes[index].store.assetTotals().count == 0)
        }
    }

    @Test func `is kept when a record names it again, however late`() throws {
        var (neighbours, zone, payload) = try held()
        neighbours.pass(1)
        let copied = try neighbours.described(payload, on: 0)
        _ = try neighbours.delete("photo", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        #expect(try neighbours.row(payload, on: 1)?.unnamedSince != nil)
        neighbours.pass(2 * Assets.unnamedMilliseconds)
        // The round that would drop it sees the record first.
        try neighbours.attach([copied], to: "again", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        #expect(try neighbours.row(payload, on: 0)?.unnamedSince == nil)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
        neighbours.pass(2 * Assets.unnamedMilliseconds)
        try neighbours.exchangeAssets(zone)
        #expect(try (0...1).allSatisfy { try neighbours.bytes(of: payload, on: $0) == Self.large })
    }

    @Test func `is named by its id in its own zone while it is here`() throws {
        var (neighbours, zone, payload) = try held()
        let other = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: other)
        try neighbours.settle(other)
        neighbours.pass(1)
        _ = try neighbours.delete("photo", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        #expect(try neighbours.row(payload, on: 1)?.unnamedSince != nil)
        #expect(try neighbours.attach([payload], to: "photo", on: 1, zone: other) == false)
        // It was fetched there, and not uploaded.
        #expect(try neighbours.attach([payload], to: "photo", on: 1, zone: zone) == true)
        try neighbours.exchangeAssets(zone)
        #expect(try (0...1).allSatisfy { try neighbours.row(payload, on: $0)?.unnamedSince == nil })
    }

    @Test func `is kept where another record, a conflicting value or a message still names it`() throws {
        var (neighbours, zone, payload) = try held()
        neighbours.pass(1)
        try neighbours.attach([payload], to: "copy", on: 1, zone: zone)
        try neighbours.exchangeAssets(zone)
        _ = try neighbours.delete("photo", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        #expect(try neighbours.row(payload, on: 0)?.unnamedSince == nil)
        // Both devices replace the value at once: one of the values goes on naming it.
        let other = try neighbours.handIn([1], on: 1, zone: zone)
        try neighbours.attach([payload, payload], to: "copy", on: 0, zone: zone)
        try neighbours.attach([other], to: "copy", on: 1, zone: zone)
        try neighbours.exchangeAssets(zone)
        #expect(try neighbours.row(payload, on: 0)?.unnamedSince == nil)
        _ = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        _ = try neighbours.delete("copy", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        #expect(try neighbours.row(payload, on: 0)?.unnamedSince != nil)
        neighbours.pass(2 * Assets.unnamedMilliseconds)
        try neighbours.look(0)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
    }

    @Test func `is dropped by no clock that is alone, except on the only device of an account`() throws {
        var (neighbours, zone, payload) = try held([2, 1])
        _ = try neighbours.delete("photo", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        for index in 0...2 {
            neighbours.homes[index].wall += 30 * 365 * 24 * 60 * 60 * 1_000
            try neighbours.look(index)
        }
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
        #expect(try neighbours.row(payload, on: 2) == nil)
    }

    @Test func `in a zone that was deleted is dropped, and comes again with the zone`() throws {
        var (neighbours, zone, payload) = try held()
        neighbours.pass(1)
        let row = try #require(try neighbours.homes[1].store.zone(zone))
        try neighbours.change(1) { _, _, store in
            var ended = row
            ended.state = .sealed
            try store.save(ended)
        }
        try neighbours.look(1)
        #expect(try neighbours.row(payload, on: 1)?.unnamedSince != nil)
        neighbours.pass(2 * Assets.unnamedMilliseconds)
        try neighbours.look(1)
        #expect(try neighbours.row(payload, on: 1) == nil)
        try neighbours.change(1) { _, _, store in try store.save(row) }
        try neighbours.look(1)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }

    @Test(arguments: [true, false])
    func `is kept while a write in quarantine names it`(isAdopted: Bool) throws {
        var neighbours = try Neighbours([2, 1])
        let zone = try neighbours.zone(of: 0)
        let right = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        try neighbours.write("note", "early", on: 2, zone: zone)
        try neighbours.settle(zone)
        let payload = try neighbours.handIn(Self.large, on: 2, zone: zone)
        try neighbours.attach([payload], to: "photo", on: 2, zone: zone)
        // Of the owner's devices, the one that ends the right has not seen the record.
        try neighbours.pull(zone, from: 2, to: 1)
        try neighbours.look(1)
        try neighbours.fetchPayloads(from: 2, on: 1)
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        try neighbours.settle(zone)
        neighbours.pass(1)
        try neighbours.look(1)
        #expect(try neighbours.row(payload, on: 1)?.unnamedSince != nil)
        for _ in 0..<3 {
            neighbours.pass(2 * Assets.unnamedMilliseconds)
            try neighbours.look(1)
            #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
        }
        let entry = try #require(try neighbours.quarantine(zone, on: 1).first)
        #expect(entry.assets == [payload] && entry.reason == .aboveCut)
        if isAdopted {
            let adopted = try neighbours.change(1) {
                try QuarantineDecisions($0).adopt(entry.dot, zone: zone, in: &$2).reply
            }
            #expect(adopted)
        } else {
            try neighbours.change(1) { _ = try QuarantineDecisions($0).purge(entry.dot, zone: zone, in: &$2) }
        }
        try neighbours.look(1)
        neighbours.pass(2 * Assets.unnamedMilliseconds)
        try neighbours.look(1)
        let state: PayloadRow.State? = isAdopted ? .present : nil
        #expect(try neighbours.row(payload, on: 1)?.state == state)
    }

    @Test func `is dropped after a day where none ever did`() throws {
        var (neighbours, zone, _) = try held()
        let unused = try neighbours.handIn(Self.large, on: 0, zone: zone)
        neighbours.pass(Payloads.unsentMilliseconds + 1)
        try neighbours.look(0)
        #expect(try neighbours.row(unused, on: 0) == nil)
    }
}
