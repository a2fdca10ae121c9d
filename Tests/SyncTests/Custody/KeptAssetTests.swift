import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// A payload that a device keeps for others, so that it has no secret of it, and that a record which it can read names.
@Suite struct `A payload that is kept for others` {
    private static let large = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// A content that device 0 has uploaded and device 1 keeps for it.
    private struct Keeping {
        var neighbours: Neighbours
        let zone: ZoneID
        let truth: AssetDescriptor

        init() throws {
            neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
            zone = try neighbours.zone(of: 0)
            _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
            try neighbours.settle(zone)
            let payload = try neighbours.handIn(`A payload that is kept for others`.large, on: 0, zone: zone)
            truth = try neighbours.described(payload, on: 0)
            let (zone, size) = (zone, PayloadWriter.paddedByteCount(truth.size))
            let sender = neighbours.homes[0].keys.deviceID
            try neighbours.change(1) { committer, _, store in
                try store.save(
                    PayloadRow(
                        number: try store.takePayloadNumber(),
                        id: payload,
                        zone: zone,
                        state: .wanted,
                        byteCount: size,
                        secret: nil,
                        begun: committer.wallMilliseconds,
                        sender: sender,
                        keptUntil: committer.wallMilliseconds + Custody.retentionMilliseconds
                    )
                )
            }
        }

        var payload: PayloadID { truth.payload }

        mutating func fetch() throws {
            try neighbours.fetchPayloads(from: 0, on: 1)
            try neighbours.look(1)
        }

        /// Names the content in a record, by some statement.
        mutating func name(_ asset: AssetDescriptor, as name: String) throws {
            try neighbours.attach([asset], to: name, on: 0, zone: zone)
            try neighbours.exchangeAssets(zone)
        }

        mutating func end() throws -> CustodyAnswer.Outcome? {
            let request = CustodyRequest(zone: zone, payload: payload)
            let sender = neighbours.homes[0].keys.deviceID
            return try neighbours.change(1) { try Custody($0).end(request, from: sender, in: &$2) }.reply
        }

        func bytes() throws -> [UInt8]? { try neighbours.bytes(of: payload, on: 1) }
    }

    @Test(arguments: [true, false])
    func `is opened by the record that names it, and stays when the keeping ends`(isNamedFirst: Bool) throws {
        var keeping = try Keeping()
        if isNamedFirst { try keeping.name(keeping.truth, as: "photo") }
        try keeping.fetch()
        if !isNamedFirst { try keeping.name(keeping.truth, as: "photo") }
        #expect(try keeping.bytes() == Self.large)
        let row = try #require(try keeping.neighbours.row(keeping.payload, on: 1))
        #expect(row.isAsset && row.keptUntil != nil && row.byteCount == keeping.truth.size)
        let counts = try keeping.neighbours.homes[1].store.custodyByteCounts()
        #expect(counts.values.map { $0 } == [PayloadWriter.paddedByteCount(keeping.truth.size)])
        #expect(try keeping.end() == .released)
        #expect(try keeping.bytes() == Self.large)
        #expect(try keeping.neighbours.row(keeping.payload, on: 1)?.keptUntil == nil)
    }

    @Test func `is held by no false statement, which the first chunk or the size shows`() throws {
        var keeping = try Keeping()
        try keeping.fetch()
        let (payload, size) = (keeping.payload, keeping.truth.size)
        let lies = [
            Neighbours.asset(payload, size: size, secret: [UInt8](repeating: 1, count: 32)),
            Neighbours.asset(payload, size: 3, secret: keeping.truth.secret.bytes),
        ]
        for (number, lie) in lies.enumerated() {
            try keeping.name(lie, as: "lie \(number)")
            let row = try #require(try keeping.neighbours.row(payload, on: 1))
            #expect(try row.secret == nil && row.state == .present && keeping.bytes() == nil)
        }
        try keeping.name(keeping.truth, as: "photo")
        #expect(try keeping.bytes() == Self.large)
        let (assets, store) = (Assets(keeping.neighbours.committer(1)), keeping.neighbours.homes[1].store)
        #expect(try lies.map { try assets.state(of: $0, in: store) } == [.missing, .missing])
        #expect(try assets.state(of: keeping.truth, in: store) == .present)
    }
}
