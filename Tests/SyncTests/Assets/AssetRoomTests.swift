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

    @Test func `is taken by what is wanted already, and the rest is left out until there is more`() throws {
        let sizes = [3, 4, 2].map { $0 * Self.gigabyte }
        var (neighbours, _, payloads) = try named(sizes)
        let room = AssetRoom(free: 13 * Self.gigabyte, of: 1_000 * Self.gigabyte)
        try neighbours.look(1, room: room)
        let states = try payloads.map { try neighbours.assetState($0, on: 1) }
        let taken = zip(sizes, states).reduce(UInt64(0)) { $0 + ($1.1 == .queued ? $1.0 : 0) }
        #expect(states.contains(.remote) && states.contains(.queued) && taken <= 5 * Self.gigabyte)
        #expect(try Assets(neighbours.committer(1), room: room).lacksRoom(in: neighbours.homes[1].store))
        // A little more is not worth another look.
        let little = AssetRoom(free: 14 * Self.gigabyte, of: 1_000 * Self.gigabyte)
        #expect(try !Assets(neighbours.committer(1), room: little).isDue(in: neighbours.homes[1].store))
        let more = AssetRoom(free: 30 * Self.gigabyte, of: 1_000 * Self.gigabyte)
        try neighbours.look(1, room: more)
        #expect(try payloads.allSatisfy { try neighbours.assetState($0, on: 1) == .queued })
        #expect(try !Assets(neighbours.committer(1), room: more).lacksRoom(in: neighbours.homes[1].store))
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
