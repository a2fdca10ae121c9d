import Records
import ReplicaBehaviour
import Sodium
import Sync
import Wire

extension NodeStoreBehaviour {
    /// Three payloads, ascending.
    private static let payloads = ([1, 2, 3] as [UInt8]).map { PayloadID(digesting: .treeNode, [$0]) }.sorted()

    private static let otherZone = ZoneID(digesting: .treeNode, [4])

    /// Three records without assets, ascending by tag.
    private func records(_ store: inout some NodeTransaction) throws -> [RecordRow] {
        try store.createTestZone()
        try store.commit((0..<3).map { .note("r\($0)", ["x": "1"]) }, by: TestAuthor(1))
        return try (0..<3).map { try required(store.record("r\($0)")) }.sorted { $0.tag < $1.tag }
    }

    private func naming(_ numbers: [Int], _ row: RecordRow) -> RecordRow {
        var row = row
        row.assets = numbers.map { Self.payloads[$0] }
        return row
    }

    private func reference(_ payload: Int, _ row: RecordRow) -> AssetReference {
        AssetReference(payload: Self.payloads[payload], zone: TestZone.id, tag: row.tag)
    }

    func checkAssetReferences(_ store: inout some NodeTransaction) throws {
        let rows = try records(&store)
        try require(store.unseenAssetReferences(limit: 9).isEmpty && !store.isNamed(Self.payloads[0]))
        let named = [naming([0, 1], rows[0]), naming([1], rows[1])]
        try store.save(named, bySync: true)
        for row in named { try require(store.record(row.name) == row) }
        let all = [reference(0, rows[0]), reference(1, rows[0]), reference(1, rows[1])]
        try require(store.assetReferences(to: Self.payloads[1], limit: 9) == Array(all[1...]))
        try require(store.assetReferences(to: Self.payloads[1], limit: 1) == [all[1]])
        try require(store.assetReferences(to: Self.payloads[2], limit: 9).isEmpty)
        try require(store.assetReferences(to: Self.payloads[1], zone: TestZone.id, limit: 9) == Array(all[1...]))
        try require(store.assetReferences(to: Self.payloads[1], zone: TestZone.id, limit: 1) == [all[1]])
        try require(store.assetReferences(to: Self.payloads[1], zone: Self.otherZone, limit: 9).isEmpty)
        try require(store.assetZones(of: Self.payloads[1], limit: 9) == [TestZone.id])
        try require(store.assetZones(of: Self.payloads[1], limit: 0).isEmpty)
        try require(store.assetZones(of: Self.payloads[2], limit: 9).isEmpty)
        try require(store.isNamed(Self.payloads[0]) && !store.isNamed(Self.payloads[2]))
        try require(store.isNamed(Self.payloads[0], zone: TestZone.id))
        try require(!store.isNamed(Self.payloads[0], zone: .zero))
        try require(!store.isNamed(Self.payloads[2], zone: TestZone.id))

        try require(store.assetReferences(zone: TestZone.id, after: nil, limit: 9) == all)
        try require(store.assetReferences(zone: TestZone.id, after: nil, limit: 2) == Array(all[..<2]))
        try require(store.assetReferences(zone: TestZone.id, after: all[0], limit: 9) == Array(all[1...]))
        try require(store.assetReferences(zone: TestZone.id, after: all[2], limit: 9).isEmpty)
        try require(store.assetReferences(zone: .zero, after: nil, limit: 9).isEmpty)
        for zone in [Self.otherZone, .zero] {
            let place = AssetReference(payload: Self.payloads[2], zone: zone, tag: rows[2].tag)
            let found = try store.assetReferences(zone: TestZone.id, after: place, limit: 9)
            try require(found == (zone < TestZone.id ? all : []))
        }
        try checkSeen(&store, rows, all)

        // References go with the value, and with the record.
        try store.save([naming([2], rows[0])], bySync: false)
        try require(store.assetReferences(zone: TestZone.id, after: nil, limit: 9) == [reference(2, rows[0]), all[2]])
        try require(!store.isNamed(Self.payloads[0]))
        var deleted = rows[1]
        deleted.isDeleted = true
        try store.saveUnchanged([deleted])
        try require(store.assetReferences(zone: TestZone.id, after: nil, limit: 9) == [reference(2, rows[0])])
        try require(!store.isNamed(Self.payloads[1]))
        try require(store.unseenAssetReferences(limit: 9) == [reference(2, rows[0])])
    }

    private func checkSeen(
        _ store: inout some NodeTransaction,
        _ rows: [RecordRow],
        _ all: [AssetReference]
    ) throws {
        try require(store.unseenAssetReferences(limit: 9) == all && store.unseenAssetReferences(limit: 1) == [all[0]])
        try store.markSeen(all[1])
        try store.markSeen(reference(2, rows[2]))
        try require(store.unseenAssetReferences(limit: 9) == [all[0], all[2]])
        // A record that is saved again with the same assets makes none of them unseen.
        try store.markSeen(all[2])
        try store.save([naming([0, 1], rows[0])], bySync: true)
        try store.saveUnchanged([naming([1], rows[1])])
        try require(store.unseenAssetReferences(limit: 9) == [all[0]])
        try store.markAssetReferencesUnseen(zone: Self.otherZone)
        try require(store.unseenAssetReferences(limit: 9) == [all[0]])
        try store.markAssetReferencesUnseen(zone: TestZone.id)
        try require(store.unseenAssetReferences(limit: 9) == all)
        for reference in all { try store.markSeen(reference) }
        try store.markAssetReferencesUnseen(to: Self.payloads[2])
        try require(store.unseenAssetReferences(limit: 9).isEmpty)
        try store.markAssetReferencesUnseen(to: Self.payloads[1])
        try require(store.unseenAssetReferences(limit: 9) == Array(all[1...]))
        for reference in all { try store.markSeen(reference) }
        // One that went, and came back, is a new one.
        try store.save([rows[0]], bySync: false)
        try store.save([naming([0, 1], rows[0])], bySync: false)
        try require(store.unseenAssetReferences(limit: 9) == Array(all[..<2]))
        for reference in all { try store.markSeen(reference) }
    }

    func checkEvictions(_ store: inout some NodeTransaction) throws {
        let payloads = Self.payloads
        try require(store.eviction(of: payloads[0]) == nil && store.evictions(limit: 9).isEmpty)
        for (payload, attempt) in zip(payloads.reversed(), [7, 8, 9] as [UInt64]) {
            try store.save(EvictionRow(payload: payload, attempt: attempt))
        }
        try store.save(EvictionRow(payload: payloads[1], attempt: 10))
        try require(store.eviction(of: payloads[1]) == EvictionRow(payload: payloads[1], attempt: 10))
        try require(store.evictions(limit: 9).map(\.payload) == payloads)
        try require(store.evictions(limit: 2).map(\.attempt) == [9, 10])
        for _ in 0..<2 { try store.removeEviction(of: payloads[0]) }
        try require(store.eviction(of: payloads[0]) == nil && store.evictions(limit: 9).count == 2)

        try require(store.retention(of: payloads[0]) == nil)
        for (payload, until) in zip(payloads, [30, 10, 20] as [UInt64]) {
            try store.save(RetentionRow(payload: payload, until: until))
        }
        try require(store.retention(of: payloads[2]) == RetentionRow(payload: payloads[2], until: 20))
        func ends(by end: UInt64, beyond: UInt64, _ limit: Int = 9) throws -> [UInt64] {
            try store.retentions(endedBy: end, beyond: beyond, limit: limit).map(\.until)
        }
        try require(ends(by: 9, beyond: 30).isEmpty && ends(by: 10, beyond: 30) == [10])
        try require(ends(by: 10, beyond: 29) == [10, 30] && ends(by: 20, beyond: 20) == [10, 20, 30])
        try require(ends(by: 20, beyond: 20, 2) == [10, 20] && ends(by: 0, beyond: 0, 1) == [10])
        try store.save(RetentionRow(payload: payloads[1], until: 40))
        try require(ends(by: 0, beyond: 0) == [20, 30, 40])
        for _ in 0..<2 { try store.removeRetention(of: payloads[1]) }
        try require(ends(by: 0, beyond: 0) == [20, 30] && store.retention(of: payloads[1]) == nil)
        // An attempt is no promise.
        try require(store.eviction(of: payloads[1]) != nil)
    }

    func checkHolders(_ store: inout some NodeTransaction) throws {
        let (payloads, devices) = (Self.payloads, [Self.device(1), Self.device(2)].sorted())
        func row(_ payload: Int, _ device: Int, due: UInt64, holds: Bool = true) -> HolderRow {
            HolderRow(payload: payloads[payload], device: devices[device], holds: holds, stated: due / 2, due: due)
        }
        try require(store.holders(of: payloads[0]).isEmpty && store.statingDevices().isEmpty)
        try require(store.holder(of: payloads[0], device: devices[0]) == nil)
        let rows = [row(0, 1, due: 30), row(0, 0, due: 20, holds: false), row(1, 0, due: 20), row(2, 0, due: 10)]
        for row in rows { try store.save(row) }
        try require(store.holders(of: payloads[0]) == [rows[1], rows[0]])
        try require(store.holder(of: payloads[0], device: devices[0]) == rows[1])
        try require(store.holder(of: payloads[1], device: devices[1]) == nil)
        try require(store.statingDevices() == devices)

        func due(by end: UInt64, after last: HolderRow? = nil, limit: Int = 9) throws -> [HolderRow] {
            try store.holders(device: devices[0], dueBy: end, after: last, limit: limit)
        }
        try require(due(by: 9).isEmpty && due(by: 10) == [rows[3]])
        try require(due(by: 20) == [rows[3], rows[1], rows[2]] && due(by: .max, limit: 2) == [rows[3], rows[1]])
        try require(due(by: 20, after: rows[3]) == [rows[1], rows[2]] && due(by: 20, after: rows[1]) == [rows[2]])
        try require(due(by: 20, after: rows[2]).isEmpty)
        try require(store.holders(device: Self.device(3), dueBy: .max, after: nil, limit: 9).isEmpty)

        // A statement takes the place of the device's last one.
        let later = row(2, 0, due: 40, holds: false)
        try store.save(later)
        try require(store.holders(of: payloads[2]) == [later] && due(by: .max).last == later)

        for _ in 0..<2 { try store.removeHolders(of: payloads[0]) }
        try require(store.holders(of: payloads[0]).isEmpty && store.statingDevices() == [devices[0]])
        try require(store.removeHolders(device: devices[0], limit: 1) && due(by: .max).count == 1)
        try require(store.removeHolders(device: devices[0], limit: 9) && store.statingDevices().isEmpty)
        try require(!store.removeHolders(device: devices[0], limit: 9))
        try require(!store.removeHolders(device: Self.device(3), limit: 9))
    }

    func checkPresentAssets(_ store: inout some NodeTransaction) throws {
        let payloads = try [payload(0), payload(1, .remote), payload(2)]
        for payload in payloads { try store.save(payload) }
        let listed = try [payloads[0], payloads[2]].map { row in
            PresentAsset(number: row.number, id: try required(row.id), byteCount: row.byteCount, begun: row.begun)
        }
        try require(store.presentAssets(after: 0, limit: 9) == listed)
        try require(store.presentAssets(after: 0, limit: 1) == [listed[0]])
        try require(store.presentAssets(after: 1, limit: 9) == [listed[1]])
        try require(store.presentAssets(after: 3, limit: 9).isEmpty)
        var other = payloads[0]
        other.isAsset = false
        try store.save(other)
        try require(store.presentAssets(after: 0, limit: 9) == [listed[1]])
    }

    func checkAssetPolicies(_ store: inout some NodeTransaction) throws {
        try require(store.assetPolicy(zone: TestZone.id) == nil)
        try store.setAssetPolicy(nil, zone: TestZone.id)
        for policy in [AssetPolicy.never, .onDemand, .upTo(0), .upTo(1 << 40), .always] {
            try store.setAssetPolicy(policy, zone: TestZone.id)
            try require(store.assetPolicy(zone: TestZone.id) == policy)
        }
        try store.setAssetPolicy(.upTo(.max), zone: TestZone.id)
        try require(store.assetPolicy(zone: TestZone.id) == .upTo(UInt64(Int64.max)))
        try require(store.assetPolicy(zone: Self.otherZone) == nil)
        try store.setAssetPolicy(nil, zone: TestZone.id)
        try require(store.assetPolicy(zone: TestZone.id) == nil)
        // Whether relays keep them is another setting of the zone.
        try require(store.keepsAssetsAtRelays(zone: TestZone.id))
        for isKept in [true, false] {
            for policy in [nil, AssetPolicy.never, nil] {
                try store.setKeepsAssetsAtRelays(isKept, zone: TestZone.id)
                try store.setAssetPolicy(policy, zone: TestZone.id)
                try require(store.keepsAssetsAtRelays(zone: TestZone.id) == isKept)
                try require(store.assetPolicy(zone: TestZone.id) == policy)
            }
        }
        try require(store.keepsAssetsAtRelays(zone: Self.otherZone))
        try store.setAssetPolicy(.onDemand, zone: TestZone.id)
        try store.setKeepsAssetsAtRelays(true, zone: TestZone.id)
        try require(store.assetPolicy(zone: TestZone.id) == .onDemand)
        try store.setAssetPolicy(nil, zone: TestZone.id)
        try require(store.keepsAssetsAtRelays(zone: TestZone.id) && store.assetPolicy(zone: TestZone.id) == nil)
        try checkKeepableAssets(&store)
    }

    /// Contents that relays may keep are those of assets that are here, or were evicted.
    private func checkKeepableAssets(_ store: inout some NodeTransaction) throws {
        try require(store.keepableAssets(after: 0, limit: 9).isEmpty)
        let secret = try required(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)))
        let states: [(PayloadRow.State, isAsset: Bool)] = [
            (.evicted, true), (.wanted, true), (.present, false), (.present, true), (.remote, true), (.present, true),
            (.linked, true),
        ]
        let rows = states.enumerated().map { place, known in
            PayloadRow(
                number: UInt64(place + 1),
                id: PayloadID(digesting: .treeNode, [UInt8(place + 1)]),
                zone: TestZone.id,
                state: known.0,
                byteCount: 3,
                secret: secret,
                begun: 10,
                isAsset: known.isAsset
            )
        }
        for row in rows.reversed() { try store.save(row) }
        let found = [rows[0], rows[3], rows[5], rows[6]]
        try require(store.keepableAssets(after: 0, limit: 9) == found)
        try require(store.keepableAssets(after: 0, limit: 2) == Array(found.prefix(2)))
        try require(store.keepableAssets(after: 1, limit: 9) == Array(found.dropFirst()))
        try require(store.keepableAssets(after: 7, limit: 9).isEmpty)
        for row in rows { try store.removePayload(number: row.number) }
    }

    private func payload(
        _ number: Int,
        _ state: PayloadRow.State = .present,
        isAsset: Bool = true
    ) throws -> PayloadRow {
        PayloadRow(
            number: UInt64(number) + 1,
            id: Self.payloads[number],
            zone: TestZone.id,
            state: state,
            byteCount: 100 * UInt64(number) + 7,
            secret: try required(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount))),
            begun: 10,
            isAsset: isAsset
        )
    }

    func checkAssets(_ store: inout some NodeTransaction) throws {
        let rows = try records(&store)
        var payloads = try [payload(0), payload(1, .remote), payload(2, isAsset: false)]
        for payload in payloads { try store.save(payload) }
        try require(store.assetTotals() == (2, 7))
        try require(store.payloadsToMark(limit: 9) == Array(payloads[..<2]))
        try require(store.payloadsToMark(limit: 1) == [payloads[0]])
        (payloads[0].unnamedSince, payloads[0].zone) = (50, Self.otherZone)
        (payloads[1].state, payloads[1].chunkByteCount) = (.evicted, Limits.chunkByteCountMax)
        for payload in payloads { try store.save(payload) }
        for payload in payloads { try require(store.payload(number: payload.number) == payload) }
        try require(store.payloadsToMark(limit: 9) == [payloads[1]])
        try checkUnneeded(&store, [0, 2], before: 50, payloads)
        try checkUnneeded(&store, [2], before: 49, payloads)

        // A record that names one, whether its row says so or not, keeps it.
        try store.save([naming([0, 1, 2], rows[0])], bySync: true)
        try require(store.payloadsToMark(limit: 9) == [payloads[0]])
        try checkUnneeded(&store, [], before: 99, payloads)
        payloads[0].unnamedSince = nil
        try store.save(payloads[0])
        try require(store.payloadsToMark(limit: 9).isEmpty)
        try store.save([naming([1], rows[1])], bySync: true)
        try store.save([rows[0]], bySync: true)
        try require(store.payloadsToMark(limit: 9) == [payloads[0]])
        try checkUnneeded(&store, [2], before: 99, payloads)

        // A released one is none any more.
        (payloads[0].id, payloads[0].state) = (nil, .released)
        try store.save(payloads[0])
        try require(store.payloadsToMark(limit: 9).isEmpty && store.assetTotals() == (1, 0))
        try checkUnneeded(&store, [0, 2], before: 0, payloads)
    }

    /// Records of a zone that has ended keep no content, and are looked at when it is live again.
    func checkAssetsOfEndedZone(_ store: inout some NodeTransaction) throws {
        let rows = try records(&store)
        let payload = try payload(0)
        try store.save(payload)
        try store.save([naming([0], rows[0])], bySync: true)
        try store.markSeen(reference(0, rows[0]))
        try require(store.payloadsToMark(limit: 9).isEmpty)
        let live = try required(store.zone(TestZone.id))
        for state in [Records.ZoneState.sealed, .deleted(reason: "old")] {
            var zone = live
            zone.state = state
            try store.save(zone)
            try require(!store.isNamed(Self.payloads[0]) && store.isNamed(Self.payloads[0], zone: TestZone.id))
            try require(store.assetZones(of: Self.payloads[0], limit: 9) == [TestZone.id])
            try require(store.payloadsToMark(limit: 9) == [payload])
            var marked = payload
            marked.unnamedSince = 5
            try store.save(marked)
            try require(store.payloadsToMark(limit: 9).isEmpty && store.unseenAssetReferences(limit: 9).isEmpty)
            try checkUnneeded(&store, [0], before: 5, [marked])
            try store.save(live)
            try require(store.isNamed(Self.payloads[0]) && store.payloadsToMark(limit: 9) == [marked])
            try checkUnneeded(&store, [], before: 5, [marked])
            try require(store.unseenAssetReferences(limit: 9) == [reference(0, rows[0])])
            try store.markSeen(reference(0, rows[0]))
            // A zone that stays live makes none unseen.
            try store.save(live)
            try store.save(payload)
            try require(store.unseenAssetReferences(limit: 9).isEmpty && store.payloadsToMark(limit: 9).isEmpty)
        }
    }

    private func checkUnneeded(
        _ store: inout some NodeTransaction,
        _ numbers: [Int],
        before milliseconds: UInt64,
        _ payloads: [PayloadRow],
        line: Int = #line
    ) throws {
        let found = try store.unneededPayloads(begunBefore: 99, unnamedBefore: milliseconds, at: 500, limit: 9)
        try require(found == numbers.map { payloads[$0] }, line: line)
    }
}
