import Records
import ReplicaBehaviour
import Sodium
import Sync
import Wire

// The limits of the node's own rows: those of columns, of codecs, and of rows that exist once. A store that keeps
// values must not accept those that one that encodes them could not read back.
extension NodeStoreBehaviour {
    private static func name<Kind>(_ number: UInt8) -> Identifier<Kind> { Identifier(digesting: .treeNode, [number]) }

    /// The largest number that a signed column of 64 bits takes.
    private static let largest = UInt64(Int64.max)
    private static let beyond: [UInt64] = [largest + 1, .max - 1, .max]

    /// Runs a body that a store has to refuse as a value that it could not read back.
    private func requireRefusal<Store: NodeTransaction>(
        _ store: inout Store,
        line: Int = #line,
        _ body: (inout Store) throws -> Void
    ) throws {
        do {
            try body(&store)
        } catch ReplicaError.unstorable {
            return
        }
        try require(false, line: line)
    }

    /// Runs a body that a store has to refuse because another row has the same unique value.
    private func requireConflict<Store: NodeTransaction>(
        _ store: inout Store,
        line: Int = #line,
        _ body: (inout Store) throws -> Void
    ) throws {
        do {
            try body(&store)
        } catch let error as StorageError {
            return try require(error.code == .misuse, line: line)
        }
        try require(false, line: line)
    }

    func checkNumberLimits(_ store: inout some NodeTransaction) throws {
        try checkMessageLimits(&store)
        try checkPayloadLimits(&store)
        try checkChunkLimits(&store)
        try checkParcelLimits(&store)
        try checkPeerLimits(&store)
    }

    private func message(_ tag: UInt8, number: UInt64) -> MessageRow {
        MessageRow(
            id: MessageID(zone: TestZone.id, tag: Self.name(tag)),
            number: number,
            zone: TestZone.id,
            tag: Self.name(tag),
            place: Dot(actor: .zero, counter: 1),
            state: .waiting
        )
    }

    private func checkMessageLimits(_ store: inout some NodeTransaction) throws {
        let rows = [message(1, number: 0), message(2, number: Self.largest)]
        for row in rows { try store.save(row) }
        for number in Self.beyond {
            let row = message(3, number: number)
            try requireRefusal(&store) { try $0.save(row) }
            try require(store.message(row.id) == nil)
        }
        var changed = rows[0]
        changed.number = .max
        try requireRefusal(&store) { try $0.save(changed) }
        for row in rows { try require(store.message(row.id) == row) }
        try require(store.messages(zone: TestZone.id, after: 0, limit: 9) == [rows[1]])
    }

    private func payload(_ number: UInt64, id: UInt8? = nil, byteCount: UInt64 = 1) throws -> PayloadRow {
        PayloadRow(
            number: number,
            id: id.map { Self.name($0) },
            zone: TestZone.id,
            state: id == nil ? .uploading : .wanted,
            byteCount: byteCount,
            secret: try required(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount))),
            begun: 5,
            sender: Self.name(9),
            keptUntil: 90
        )
    }

    private func checkPayloadLimits(_ store: inout some NodeTransaction) throws {
        let largest = try payload(Self.largest, byteCount: PayloadRow.byteCountMax)
        try store.save(largest)
        try require(store.payload(number: Self.largest) == largest)
        for number in Self.beyond {
            let row = try payload(number)
            try requireRefusal(&store) { try $0.save(row) }
        }
        for byteCount in [PayloadRow.byteCountMax + 1, Self.largest] + Self.beyond {
            let row = try payload(1, id: 1, byteCount: byteCount)
            try requireRefusal(&store) { try $0.save(row) }
            try require(store.payload(number: 1) == nil && store.payload(Self.name(1)) == nil)
        }
        // Kept payloads are added up, and the sum has room.
        try store.save(try payload(2, byteCount: PayloadRow.byteCountMax))
        try require(store.custodyByteCounts() == [Self.name(9): 2 * largest.paddedByteCount])
    }

    private func checkChunkLimits(_ store: inout some NodeTransaction) throws {
        let byteCount = Limits.chunkByteCount + Limits.chunkTagByteCount
        let last = UInt64(Limits.payloadChunkCountMax) - 1
        func chunk(_ position: UInt64, byteCount: Int?) -> ChunkRow {
            ChunkRow(
                position: position,
                hash: Hash(digesting: .treeNode, [1]),
                bytes: byteCount.map { [UInt8](repeating: 1, count: $0) }
            )
        }
        let largest = chunk(last, byteCount: byteCount)
        try store.save(largest, of: Self.largest)
        try require(store.chunk(of: Self.largest, at: last) == largest)
        for position in [last + 1, Self.largest] + Self.beyond {
            try requireRefusal(&store) { try $0.save(chunk(position, byteCount: nil), of: Self.largest) }
        }
        try requireRefusal(&store) { try $0.save(chunk(0, byteCount: byteCount + 1), of: Self.largest) }
        for number in Self.beyond { try requireRefusal(&store) { try $0.save(chunk(0, byteCount: 1), of: number) } }
        try require(store.chunkHashes(of: Self.largest) == [largest.hash])

        // Chunks of the larger size.
        var payload = try payload(1)
        payload.chunkByteCount = Limits.chunkByteCountMax
        try store.save(payload)
        let most = Limits.chunkByteCountMax + Limits.chunkTagByteCount
        let chunks = [chunk(0, byteCount: most), chunk(1, byteCount: most), chunk(2, byteCount: 17)]
        for chunk in chunks.reversed() { try store.save(chunk, of: 1) }
        for chunk in chunks { try require(store.chunk(of: 1, at: chunk.position) == chunk) }
        try requireRefusal(&store) { try $0.save(chunk(3, byteCount: most + 1), of: 1) }
        try require(store.chunkCounts(of: 1) == (3, 3))
    }

    private func checkParcelLimits(_ store: inout some NodeTransaction) throws {
        let log = LogKey(zone: TestZone.id, actor: Self.name(1), lane: .data)
        func parcel(_ number: UInt8, stretches: Int) -> PostedParcelRow {
            PostedParcelRow(
                relay: Self.name(1),
                device: Self.name(2),
                parcel: Self.name(number),
                day: Self.largest,
                until: Self.largest,
                missingSince: Self.largest,
                stretches: Array(repeating: .init(key: log, from: .max - 1, size: .max), count: stretches)
            )
        }
        let largest = parcel(1, stretches: Limits.parcelMessageCountMax)
        try store.save(largest)
        try require(store.postedParcels(on: nil, limit: 9) == [largest])
        for number in [1, 2] as [UInt8] {
            let row = parcel(number, stretches: Limits.parcelMessageCountMax + 1)
            try requireRefusal(&store) { try $0.save(row) }
        }
        try require(store.postedParcels(on: nil, limit: 9) == [largest])
    }

    private func checkPeerLimits(_ store: inout some NodeTransaction) throws {
        // A name may have any other bytes; the fifth address is not kept, and so not looked at.
        let addresses = ["\u{0}", "e\u{301}:1", " ", String(repeating: "a", count: 10_000)]
        let row = PeerRow(device: Self.name(3), addresses: addresses + [""], lastSeenMilliseconds: 1)
        try store.save(row)
        for address in ["", "\n", "a\nb", "a\r", "a\r\nb"] {
            let refused = PeerRow(device: row.device, addresses: ["b:1", address], lastSeenMilliseconds: 2)
            try requireRefusal(&store) { try $0.save(refused) }
        }
        let found = try store.peers()
        try require(found.map(\.device) == [row.device] && found.map(\.lastSeenMilliseconds) == [1])
        try require(found[0].addresses.map { Array($0.utf8) } == addresses.map { Array($0.utf8) })
    }

    func checkTimeLimits(_ store: inout some NodeTransaction) throws {
        for (time, kept) in [(0, 0), (Self.largest, Self.largest)] + Self.beyond.map({ ($0, Self.largest) })
            as [(UInt64, UInt64)]
        {
            try store.save(PeerRow(device: Self.name(1), addresses: [], lastSeenMilliseconds: time))
            try require(store.peers().map(\.lastSeenMilliseconds) == [kept])
            let log = LogKey(zone: TestZone.id, actor: Self.name(2), lane: .data)
            try store.save([AcknowledgementRow(device: Self.name(1), key: log, size: time)])
            try require(store.acknowledgements(zone: TestZone.id).map(\.size) == [kept])
            try store.setPostedSize(time, of: log, for: Self.name(1))
            try require(store.postedSizes(for: Self.name(1), zone: TestZone.id) == [log: kept])
            var message = message(1, number: 1)
            (message.state, message.expires, message.heldSince) = (.sent, time, time)
            try store.save(message)
            try require(store.message(message.id)?.expires == kept)
            try require(store.heldMessages(since: kept...UInt64.max, limit: 9).map(\.heldSince) == [kept])
            try require(store.expiredMessages(at: kept, limit: 9).map(\.id) == [message.id])
            try checkPrekeyTimes(&store, time, kept)
            try checkPayloadTimes(&store, time, kept)
            let parcel = PostedParcelRow(
                relay: Self.name(1),
                device: Self.name(2),
                parcel: Self.name(3),
                day: time,
                until: time,
                missingSince: time,
                stretches: []
            )
            try store.save(parcel)
            let posted = try required(store.postedParcels(on: nil, limit: 9).first)
            try require([posted.day, posted.until, posted.missingSince] == [kept, kept, kept])
        }
    }

    private func checkPrekeyTimes(_ store: inout some NodeTransaction, _ time: UInt64, _ kept: UInt64) throws {
        let seed = try required(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)))
        let id = PrekeyID(key: Array(Self.wire(time)))
        try store.save(
            PrekeyRow(id: id, zone: TestZone.id, seed: seed, begun: time, stated: time, superseded: time)
        )
        let prekey = try required(store.prekey(id))
        try require([prekey.begun, prekey.stated, prekey.superseded] == [kept, kept, kept])
    }

    private func checkPayloadTimes(_ store: inout some NodeTransaction, _ time: UInt64, _ kept: UInt64) throws {
        let secret = try required(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)))
        let row = PayloadRow(
            number: 1,
            id: Self.name(1),
            zone: TestZone.id,
            state: .present,
            byteCount: 0,
            secret: secret,
            begun: time,
            keptUntil: time,
            isAsset: true,
            unnamedSince: time
        )
        try store.removePayload(number: 1)
        try store.save(row)
        let found = try required(store.payload(number: 1))
        try require(found.begun == kept && found.keptUntil == kept && found.unnamedSince == kept)
        try store.save(CustodyRow(payload: Self.name(1), zone: TestZone.id, relay: Self.name(2), until: time))
        try require(store.custodies(of: Self.name(1)).map(\.until) == [kept])
        try store.save(RetentionRow(payload: Self.name(1), until: time))
        try require(store.retention(of: Self.name(1))?.until == kept)
        try require(store.retentions(endedBy: .max, beyond: .max, limit: 9).count == 1)
        let statement = HolderRow(payload: Self.name(1), device: Self.name(2), holds: true, stated: time, due: time)
        try store.save(statement)
        let held = try required(store.holder(of: Self.name(1), device: Self.name(2)))
        try require(held.stated == kept && held.due == kept)
        try require(store.holders(device: Self.name(2), dueBy: .max, after: nil, limit: 9) == [held])
    }

    private static func wire(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    func checkSingles(_ store: inout some NodeTransaction) throws {
        let first = message(1, number: 7)
        try store.save(first)
        try requireConflict(&store) { [other = message(2, number: 7)] in try $0.save(other) }
        try require(
            store.message(first.id) == first && store.messages(zone: TestZone.id, after: 0, limit: 9) == [first]
        )

        let seed = try required(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)))
        func prekey(_ number: UInt8, superseded: UInt64? = nil) -> PrekeyRow {
            let id = PrekeyID(key: [number])
            return PrekeyRow(id: id, zone: TestZone.id, seed: seed, begun: 1, stated: 1, superseded: superseded)
        }
        try store.save(prekey(1))
        try requireConflict(&store) { try $0.save(prekey(2)) }
        try require(store.prekey(PrekeyID(key: [2])) == nil && store.presentPrekey(zone: TestZone.id) == prekey(1))
        try store.save(prekey(2, superseded: 5))
        try requireConflict(&store) { try $0.save(prekey(2)) }
        try store.save(prekey(1, superseded: 6))
        try store.save(prekey(2))
        try require(store.presentPrekey(zone: TestZone.id) == prekey(2))

        let payload = try payload(1, id: 1)
        try store.save(payload)
        let other = try self.payload(2, id: 1)
        try requireConflict(&store) { try $0.save(other) }
        try require(store.payload(number: 2) == nil && store.payload(Self.name(1)) == payload)
        // Any number of them have none yet.
        for number in [3, 4] as [UInt64] { try store.save(try self.payload(number)) }
    }

    func checkRefusedRecords(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        try store.commit([.note("a", ["x": "1"]), .note("b", ["x": "1"])], by: TestAuthor(1))
        let row = try required(store.record("a"))
        let before = try (
            store.recordCount(zone: TestZone.id), store.recordByteCount(zone: TestZone.id), store.newestPosition()
        )
        for name in ["", String(repeating: "n", count: Limits.nameByteCountMax + 1)] {
            var refused = row
            (refused.name, refused.type, refused.body) = (name, "kairan.message", [1])
            // Also the others of the same call are not stored.
            var other = row
            other.isDeleted = true
            try requireRefusal(&store) { [other, refused] in try $0.save([other, refused], bySync: false) }
            try requireRefusal(&store) { [other, refused] in try $0.saveUnchanged([other, refused]) }
            try require(store.record("a") == row)
            let after = try (
                store.recordCount(zone: TestZone.id), store.recordByteCount(zone: TestZone.id), store.newestPosition()
            )
            try require(before == after && store.reservedTotals(zone: TestZone.id) == ReservedTotals())
            try require(store.records(zone: TestZone.id, after: nil, limit: 9).records.map(\.name) == ["a", "b"])
            try require(store.changes(zone: nil, after: 0, limit: 9).count == 2)
            try require(store.messageChanges(after: 0, limit: 9).isEmpty)
        }
    }

    func checkNames(_ store: inout some NodeTransaction) throws {
        // Two names that look alike, and bytes that end a string elsewhere.
        let names = ["\u{E9}", "e\u{301}", "", "\u{0}", "\u{0}a"]
        for (index, name) in names.enumerated() { try store.setValue([UInt8(index)], named: name) }
        for (index, name) in names.enumerated() { try require(store.value(named: name) == [UInt8(index)]) }
        try store.setValue(nil, named: names[0])
        try require(store.value(named: names[0]) == nil && store.value(named: names[1]) == [1])

        try store.createTestZone()
        let records = ["\u{0}", "\u{0}a", "a\u{0}", "a\u{0}b", "e\u{301}", "\u{E9}"]
        try store.commit(records.map { .note($0, ["x": "\u{0}"]) }, by: TestAuthor(1))
        let found = try store.records(zone: TestZone.id, after: nil, limit: 99).records
        try require(found.map { Array($0.name.utf8) } == records.map { Array($0.utf8) })
        let sum = found.reduce(0) { $0 + UInt64($1.visibleByteCount) }
        try require(store.recordByteCount(zone: TestZone.id) == sum)
        let rest = try store.records(zone: TestZone.id, after: "a\u{0}", limit: 99).records
        try require(rest.map { Array($0.name.utf8) } == records[3...].map { Array($0.utf8) })
    }
}
