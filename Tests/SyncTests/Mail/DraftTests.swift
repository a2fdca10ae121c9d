import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `The mail for a device that is off` {
    /// A device that writes, one that is off, and a third one; all have had a zone of the account.
    private struct House {
        var household: Household
        let zone: ZoneID

        init(third: DeviceRole = .full) throws {
            household = try Household(3, roles: [2: third])
            zone = ZoneID(household.genesis())
            for index in 0..<3 {
                _ = try ZoneLifecycle(household.committer(index))
                    .learn(zone, genesis: household.genesis(), in: &household.homes[index].store)
            }
        }

        func device(_ index: Int) -> DeviceID { household.homes[index].keys.deviceID }

        func draft(
            for index: Int = 1,
            acknowledges: Bool = false,
            forwards: Bool = false,
            byteCount: Int = ParcelDraft.usualByteCount
        ) throws -> ParcelDraft? {
            let demand = ParcelDemand(
                device: device(index),
                account: household.committer(0).account.account,
                acknowledges: acknowledges,
                forwards: forwards
            )
            return try ParcelDrafting(household.committer(0)).draft(
                demand,
                byteCount: byteCount,
                in: household.homes[0].store
            )
        }

        mutating func write(_ count: Int, of size: Int = 10, on index: Int = 0) throws {
            for number in 0..<count {
                try household.write("note \(number)", String(repeating: "x", count: size), on: index, zone: zone)
            }
        }

        mutating func change<Value>(_ body: (Committer, inout MemoryStore) throws -> Value) throws -> Value {
            try body(household.committer(0), &household.homes[0].store)
        }

        /// The draft as a relay has it.
        mutating func post(_ draft: ParcelDraft, _ number: UInt8 = 1) throws -> PostedParcelRow {
            let row = PostedParcelRow(
                relay: Identifier(digesting: .treeNode, [1]),
                device: device(1),
                parcel: Identifier(digesting: .treeNode, [number]),
                day: 1,
                until: 2,
                stretches: draft.stretches
            )
            try change { try PostedParcels($0).posted(row, in: &$1) }
            return row
        }

        mutating func acknowledge(_ draft: ParcelDraft) throws {
            let sizes = Dictionary(draft.stretches.map { ($0.key, $0.size) }) { max($0, $1) }
            let device = device(1)
            try change { try PeerMemory($0).acknowledged(by: device, sizes, in: &$1) }
        }
    }

    private func messages(_ draft: ParcelDraft?) throws -> [PeerMessage] {
        try (draft?.messages ?? []).map { try PeerMessage(decoding: $0) }
    }

    @Test func `is the unacknowledged data, with the description of the zone`() throws {
        var house = try House()
        try house.write(3)
        let draft = try #require(try house.draft())
        let all = try messages(draft)
        guard case .zoneTerms(let terms) = all.first else {
            Issue.record("the zone is not told")
            return
        }
        #expect(ZoneID(terms.genesis) == house.zone)
        // The other device takes everything from it.
        for case .run(let run) in all { _ = house.household.apply(run, key: run.signedHead.head.key, on: 1) }
        #expect(try house.household.text("note 2", on: 1, zone: house.zone) != nil)
        try house.acknowledge(draft)
        #expect(try house.draft() == nil)
        try house.write(1)
        let next = try messages(try house.draft())
        #expect(next.count == 1, "it knows the zone")
        guard case .run(let run) = next.first else {
            Issue.record("no run")
            return
        }
        #expect(run.from == 3)
    }

    @Test func `is not left twice, and left again when the relay has lost it`() throws {
        var house = try House()
        try house.write(2)
        let draft = try #require(try house.draft())
        let row = try house.post(draft)
        #expect(try house.draft() == nil)
        try house.write(1)
        let later = try house.post(try #require(try house.draft()), 2)
        #expect(try house.draft() == nil)

        // Noticed once it may have been taken; ten minutes later it counts as lost, with the parcels left behind it.
        try house.change { try PostedParcels($0).missed([row], in: &$1) }
        #expect(try house.draft() == nil)
        var rows = try house.change { committer, store in
            try PostedParcels(committer).all(on: row.relay, in: store).map(\.parcel)
        }
        #expect(rows.map(\.missingSince) == [house.household.homes[0].wall, nil])
        house.household.homes[0].wall += PostedParcels.missingMilliseconds
        try house.change { try PostedParcels($0).missed([rows[0]], in: &$1) }
        let again = try #require(try house.draft())
        #expect(again.stretches.filter { $0.key.lane == .data }.map(\.from).first == 0)
        #expect(again.stretches.filter { $0.key.lane == .data }.map(\.size).last == 3)
        rows = try house.change { committer, store in
            try PostedParcels(committer).all(on: row.relay, in: store).map(\.parcel)
        }
        #expect(rows.map(\.parcel) == [later.parcel])
    }

    @Test func `is settled when all of it is acknowledged, and then dropped`() throws {
        var house = try House()
        try house.write(2)
        let draft = try #require(try house.draft())
        let row = try house.post(draft)
        func states() throws -> [Bool] {
            try PostedParcels(house.household.committer(0)).all(on: row.relay, in: house.household.homes[0].store)
                .map(\.isSettled)
        }
        #expect(try states() == [false])
        try house.acknowledge(draft)
        #expect(try states() == [true])
        try house.change { try PostedParcels($0).forget([row], in: &$1) }
        #expect(try states().isEmpty)
        #expect(try house.draft() == nil)
    }

    @Test func `is spread over parcels that are not larger than they should be, and one run may be`() throws {
        var house = try House()
        let genesis = house.household.genesis("letters")
        for index in 0..<3 {
            _ = try ZoneLifecycle(house.household.committer(index))
                .learn(ZoneID(genesis), genesis: genesis, in: &house.household.homes[index].store)
        }
        try house.write(1, of: 5_000)
        try house.household.write("letter", String(repeating: "x", count: 5_000), on: 0, zone: ZoneID(genesis))
        var sizes: [Int] = []
        while let draft = try house.draft(byteCount: 8_000) {
            sizes.append(draft.messages.reduce(0) { $0 + $1.count })
            _ = try house.post(draft, UInt8(sizes.count))
            guard draft.hasMore else { break }
        }
        #expect(sizes.count == 2)
        #expect(sizes.allSatisfy { $0 <= 8_000 })
        #expect(try house.draft() == nil)
        try house.write(1, of: 50_000)
        let large = try #require(try house.draft(byteCount: 8_000))
        #expect(large.messages.contains { $0.count > 50_000 })
    }

    @Test func `also has writes of others, when they do not leave them themselves`() throws {
        var house = try House()
        try house.write(2, on: 2)
        try house.household.pull(house.zone, from: 2, to: 0)
        #expect(try house.draft() == nil)
        let draft = try #require(try house.draft(forwards: true))
        #expect(draft.stretches.count == 1)
        #expect(draft.stretches.first?.size == 2)
    }

    @Test func `states the sizes held here when a parcel was taken`() throws {
        var house = try House()
        try house.write(2, on: 1)
        try house.household.pull(house.zone, from: 1, to: 0)
        #expect(try house.draft() == nil)
        let draft = try #require(try house.draft(acknowledges: true))
        #expect(draft.stretches.isEmpty && !draft.hasMore)
        guard case .acknowledge(let said) = try messages(draft).first else {
            Issue.record("nothing is said")
            return
        }
        #expect(said.zone == house.zone && said.logs.map(\.size) == [2])
    }

    @Test func `is empty for a device outside of the account`() throws {
        var house = try House()
        try house.write(1)
        let stranger = DeviceID(digesting: .treeNode, [9])
        let account = house.household.committer(0).account.account
        let demand = ParcelDemand(device: stranger, account: account, acknowledges: true, forwards: true)
        #expect(
            try ParcelDrafting(house.household.committer(0)).draft(demand, in: house.household.homes[0].store) == nil
        )
        let own = ParcelDemand(device: house.device(0), account: account, acknowledges: true, forwards: true)
        #expect(try ParcelDrafting(house.household.committer(0)).draft(own, in: house.household.homes[0].store) == nil)
    }

    @Test func `on a relay that is not used any more is left elsewhere`() throws {
        var house = try House()
        try house.write(2)
        _ = try house.post(try #require(try house.draft()))
        #expect(try house.draft() == nil)
        #expect(try house.change { try PostedParcels($0).leaveForgotten(but: [], in: &$1) })
        #expect(try house.draft() != nil)
        #expect(try !house.change { try PostedParcels($0).leaveForgotten(but: [], in: &$1) })
    }
}
