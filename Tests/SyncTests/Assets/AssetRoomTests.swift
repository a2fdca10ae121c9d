import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `The room for contents that only a policy fetches` {
    private static let gigabyte: UInt64 = 1 << 30

    /// Contents of some sizes that device 0 has named, without bytes.
    private func named(_ sizes: [UInt64]) throws -> (neighbours: Neighbours, zone: ZoneID, payloads: [PayloadID]) {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        var payloads: [PayloadID] = []
        for (number, size) in sizes.enumerated() {
            let payload = PayloadID(Sample.hash(UInt64(number)).digest)
            let asset = Neighbours.asset(payload, size: size, secret: [UInt8](repeating: 1, count: 32))
            try neighbours.attach([asset], to: "film \(number)", on: 0, zone: zone)
            payloads.append(payload)
        }
        try neighbours.settle(zone)
        return (neighbours, zone, payloads)
    }

    @Test func `is the part of the file system that is free beyond a tenth, or 8 GiB`() {
        #expect(AssetRoom(free: 30, of: 100).byteCount == 20)
        #expect(AssetRoom(free: 10, of: 100).isShort && !AssetRoom(free: 11, of: 100).isShort)
        let large = AssetRoom(free: 100 * Self.gigabyte, of: 1_000 * Self.gigabyte)
        #expect(large.byteCount == 92 * Self.gigabyte && large.stepByteCount == 2 * Self.gigabyte)
        #expect(AssetRoom.unknown.byteCount == nil && !AssetRoom.unknown.isShort)
    }

    @Test func `has a share for each zone, beside what arrives for others`() {
        let zones = (0..<4).map { ZoneID(Sample.hash(UInt64($0)).digest) }
        let room = AssetRoom(free: 110, of: 100)
        #expect(room.byteCount(for: zones[0], arriving: [:]) == 100)
        #expect(room.byteCount(for: zones[0], arriving: [zones[0]: 30]) == 70)
        #expect(room.byteCount(for: zones[0], arriving: [zones[0]: 101]) == 0)
        #expect(room.byteCount(for: zones[0], arriving: [zones[1]: 30, zones[0]: 30]) == 40)
        // No other zone takes more than its share, and each of them leaves the rest.
        #expect(room.byteCount(for: zones[0], arriving: [zones[1]: .max]) == 50)
        #expect(room.byteCount(for: zones[0], arriving: [zones[1]: .max, zones[2]: 5, zones[3]: .max]) == 45)
        #expect(room.byteCount(for: zones[0], arriving: [zones[1]: .max, zones[0]: .max]) == 0)
        #expect(AssetRoom.unknown.byteCount(for: zones[0], arriving: [zones[0]: .max]) == nil)
    }

    @Test func `that a content does not fit in leaves it out until there is more`() throws {
        var (neighbours, _, payloads) = try named([6 * Self.gigabyte])
        let room = AssetRoom(free: 13 * Self.gigabyte, of: 1_000 * Self.gigabyte)
        try neighbours.look(1, room: room)
        #expect(try neighbours.assetState(payloads[0], on: 1) == .remote)
        #expect(try Assets(neighbours.committer(1), room: room).lacksRoom(in: neighbours.homes[1].store))
        // A little more is not worth another look.
        let little = AssetRoom(free: 14 * Self.gigabyte, of: 1_000 * Self.gigabyte)
        #expect(try !Assets(neighbours.committer(1), room: little).isDue(in: neighbours.homes[1].store))
        let more = AssetRoom(free: 30 * Self.gigabyte, of: 1_000 * Self.gigabyte)
        try neighbours.look(1, room: more)
        #expect(try neighbours.assetState(payloads[0], on: 1) == .queued)
        #expect(try !Assets(neighbours.committer(1), room: more).lacksRoom(in: neighbours.homes[1].store))
    }

    @Test func `is taken by no content of which nothing has come, and in other zones by none beyond a share`() throws {
        let sizes = [15, 12, 12].map { $0 * Self.gigabyte }
        var (neighbours, zone, payloads) = try named(sizes)
        let room = AssetRoom(free: 28 * Self.gigabyte, of: 1_000 * Self.gigabyte)
        try neighbours.look(1, room: room)
        #expect(try payloads.allSatisfy { try neighbours.assetState($0, on: 1) == .queued })
        func name(_ number: UInt64, gigabytes: UInt64, in zone: ZoneID) throws -> AssetState {
            let payload = PayloadID(Sample.hash(number).digest)
            let secret = [UInt8](repeating: 1, count: 32)
            let asset = Neighbours.asset(payload, size: gigabytes * Self.gigabyte, secret: secret)
            try neighbours.attach([asset], to: "film \(number)", on: 0, zone: zone)
            try neighbours.settle(zone)
            try neighbours.look(1, room: room)
            return try neighbours.assetState(payload, on: 1)
        }
        #expect(try name(10, gigabytes: 15, in: zone) == .queued)
        // Their outlines come, and nothing else.
        try neighbours.change(1) { _, _, store in
            for row in try store.wantedPayloads(limit: .max) {
                try store.save(ChunkRow(position: 0, hash: .zero), of: row.number)
            }
        }
        #expect(try name(11, gigabytes: 1, in: zone) == .remote)
        let other = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: other)
        #expect(try name(12, gigabytes: 10, in: other) == .queued)
        #expect(try name(13, gigabytes: 11, in: other) == .remote)
    }

    @Test func `does not matter for contents that are asked for`() throws {
        var (neighbours, zone, payloads) = try named([Self.gigabyte])
        let room = AssetRoom(free: 1, of: 1_000 * Self.gigabyte)
        try neighbours.look(1, room: room)
        #expect(try neighbours.assetState(payloads[0], on: 1) == .remote)
        _ = try neighbours.change(1) { try Assets($0, room: room).fetch(payloads[0], zone: zone, in: &$2) }
        let short = PayloadSearch(known: [], limit: 9, isShort: true)
        let found = try Payloads(neighbours.committer(1)).wants(short, in: neighbours.homes[1].store)
        #expect(found.wants.map(\.payload) == payloads && found.isAtEnd)
    }

    @Test func `that is short hides what a policy alone wants from the search`() throws {
        var (neighbours, _, payloads) = try named([1, 2])
        try neighbours.look(1)
        let store = neighbours.homes[1].store
        func search(isShort: Bool) throws -> PayloadSearch.Found {
            let search = PayloadSearch(known: [], limit: 9, isShort: isShort)
            return try Payloads(neighbours.committer(1)).wants(search, in: store)
        }
        #expect(try search(isShort: true).wants.isEmpty && search(isShort: true).isAtEnd)
        #expect(try Set(search(isShort: false).wants.map(\.payload)) == Set(payloads))
    }
}
