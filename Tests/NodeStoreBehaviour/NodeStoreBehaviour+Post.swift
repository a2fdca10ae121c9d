import Records
import ReplicaBehaviour
import Sodium
import Sync
import Wire

extension NodeStoreBehaviour {
    private static func name<Kind>(_ number: UInt8) -> Identifier<Kind> { Identifier(digesting: .treeNode, [number]) }

    func checkPost(_ store: inout some NodeTransaction) throws {
        let log = LogKey(zone: TestZone.id, actor: Self.name(1), lane: .data)
        let control = LogKey(zone: TestZone.id, actor: Self.name(1), lane: .control)
        let elsewhere = LogKey(zone: Self.name(9), actor: Self.name(1), lane: .data)
        var rows = [(3, 4), (1, 4), (2, 5)].enumerated().map { index, place in
            PostedParcelRow(
                relay: Self.name(UInt8(place.0)),
                device: Self.name(UInt8(place.1)),
                parcel: Self.name(UInt8(20 + index)),
                day: 20_000,
                until: 1_767_225_600_000,
                stretches: index == 1 ? [] : [.init(key: log, from: 2, size: 5), .init(key: control, from: 0, size: 1)]
            )
        }
        for row in rows { try store.save(row) }
        try require(store.postedParcels(on: nil, limit: 9) == rows)
        try require(store.postedParcels(on: nil, limit: 2) == Array(rows.prefix(2)))
        try require(store.postedParcels(on: rows[1].relay, limit: 9) == [rows[1]])
        try require(store.postedParcels(on: Self.name(8), limit: 9).isEmpty)
        rows[0].missingSince = 7
        try store.save(rows[0])
        try require(store.postedParcels(on: nil, limit: 9) == rows)
        try store.remove(rows[1])
        try store.remove(rows[1])
        try require(store.postedParcels(on: nil, limit: 9) == [rows[0], rows[2]])

        let device: DeviceID = Self.name(4)
        try require(store.postedSizes(for: device, zone: TestZone.id).isEmpty)
        try store.setPostedSize(5, of: log, for: device)
        try store.setPostedSize(1, of: control, for: device)
        try store.setPostedSize(9, of: elsewhere, for: device)
        try require(store.postedSizes(for: device, zone: TestZone.id) == [log: 5, control: 1])
        try store.setPostedSize(2, of: log, for: device)
        try require(store.postedSizes(for: device, zone: TestZone.id) == [log: 2, control: 1])
        try require(store.postedSizes(for: Self.name(5), zone: TestZone.id).isEmpty)
        try require(store.postedSizes(for: device, zone: elsewhere.zone) == [elsewhere: 9])
    }
}
