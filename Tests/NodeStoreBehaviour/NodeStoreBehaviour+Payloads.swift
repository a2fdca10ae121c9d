import Records
import ReplicaBehaviour
import Sodium
import Sync
import Wire

extension NodeStoreBehaviour {
    private static func hash(_ number: UInt64) -> Hash { Hash(digesting: .treeNode, [UInt8(number)]) }

    private static let sender = DeviceID(hash(9).digest)

    private func row(_ number: UInt64, _ state: PayloadRow.State, begun: UInt64) throws -> PayloadRow {
        PayloadRow(
            number: number,
            id: state == .uploading ? nil : PayloadID(Self.hash(number).digest),
            zone: TestZone.id,
            state: state,
            byteCount: state == .uploading ? 0 : 100 * number,
            secret: try required(StoredSecret(Array(repeating: UInt8(number), count: StoredSecret.byteCount))),
            begun: begun,
            sender: state == .uploading ? nil : Self.sender
        )
    }

    func checkPayloads(_ store: inout some NodeTransaction) throws {
        var rows = try [row(1, .uploading, begun: 10), row(2, .wanted, begun: 20), row(3, .present, begun: 30)]
        for row in rows.reversed() { try store.save(row) }
        for row in rows { try require(store.payload(number: row.number) == row) }
        for row in rows.dropFirst() { try require(row.id.map { try store.payload($0) } == row) }
        try require(store.payload(number: 9) == nil && store.payload(PayloadID(Self.hash(9).digest)) == nil)
        try require(store.wantedPayloads(limit: 9) == [rows[1]] && store.wantedPayloads(limit: 0).isEmpty)
        try require(store.wantedPayloads(after: rows[1].number - 1, limit: 9) == [rows[1]])
        try require(store.wantedPayloads(after: rows[1].number, limit: 9).isEmpty)
        try require(store.arrivingByteCounts().isEmpty)

        for position in (0...4 as ClosedRange<UInt64>).reversed() {
            try store.save(ChunkRow(position: position, hash: Self.hash(position)), of: 2)
        }
        try store.save(ChunkRow(position: 0, hash: Self.hash(7), bytes: [7]), of: 3)
        try require(store.missingChunks(of: 2, limit: 9) == [0, 1, 2, 3, 4] && store.chunkCounts(of: 2) == (0, 5))
        try require(store.arrivingByteCounts() == [TestZone.id: rows[1].byteCount])
        try store.save(ChunkRow(position: 1, hash: Self.hash(1), bytes: [1, 1]), of: 2)
        try store.save(ChunkRow(position: 3, hash: Self.hash(3), bytes: []), of: 2)
        // A chunk that was lost comes again.
        try store.save(ChunkRow(position: 1, hash: Self.hash(1)), of: 2)
        try require(store.missingChunks(of: 2, limit: 9) == [0, 1, 2, 4] && store.chunk(of: 2, at: 1)?.bytes == nil)
        try store.save(ChunkRow(position: 1, hash: Self.hash(1), bytes: [1, 1]), of: 2)
        try require(store.chunk(of: 2, at: 1) == ChunkRow(position: 1, hash: Self.hash(1), bytes: [1, 1]))
        try require(store.chunk(of: 2, at: 2)?.bytes == nil && store.chunk(of: 2, at: 5) == nil)
        try require(store.missingChunks(of: 2, limit: 2) == [0, 2] && store.chunkCounts(of: 2) == (2, 5))
        try require(store.chunkHashes(of: 2) == (0...4).map(Self.hash) && store.chunkHashes(of: 1).isEmpty)
        try require(store.chunkCounts(of: 1) == (0, 0) && store.missingChunks(of: 1, limit: 9).isEmpty)

        // A payload that a message may need is not listed at any age.
        var message = MessageRow(
            id: MessageID(zone: TestZone.id, tag: RecordTag(Self.hash(1).digest)),
            number: 1,
            zone: TestZone.id,
            tag: RecordTag(Self.hash(1).digest),
            place: Dot(actor: .zero, counter: 1),
            state: .waiting,
            payload: rows[2].id
        )
        try store.save(message)
        try require(store.message(message.id) == message)
        try require(rows[2].id.map { try store.messages(with: $0) } == [message])
        try require(store.unneededPayloads(begunBefore: 10, unnamedBefore: 0, at: 500, limit: 9).isEmpty)
        try require(store.unneededPayloads(begunBefore: 99, unnamedBefore: 0, at: 500, limit: 9) == [rows[0], rows[1]])
        try require(store.unneededPayloads(begunBefore: 99, unnamedBefore: 0, at: 500, limit: 1) == [rows[0]])
        for state in MessageRow.State.allCases {
            message.state = state
            try store.save(message)
            let listed = try store.unneededPayloads(begunBefore: 99, unnamedBefore: 0, at: 500, limit: 9)
            try require(listed.contains(rows[2]) != message.needsPayload)
        }
        try store.removeMessage(message.id)
        try require(rows[2].id.map { try store.messages(with: $0) } == [])

        try checkCustody(&store, &rows[2])
        try checkKeptSums(&store)

        (rows[0].id, rows[0].state, rows[0].byteCount) = (PayloadID(Self.hash(5).digest), .present, 7)
        rows[1].state = .present
        for row in rows { try store.save(row) }
        try require(store.payload(number: 1) == rows[0] && store.wantedPayloads(limit: 9).isEmpty)
        try require(store.removeChunks(of: 2, limit: 3) && store.chunkHashes(of: 2) == [Self.hash(3), Self.hash(4)])
        try require(store.removeChunks(of: 2, limit: 3) && !store.removeChunks(of: 2, limit: 3))
        try require(store.chunkHashes(of: 3) == [Self.hash(7)])
        try store.removePayload(number: 2)
        try store.removePayload(number: 2)
        try require(store.payload(number: 2) == nil && store.payload(number: 3) == rows[2])
    }

    /// The promises of the two relays that no message needs.
    private static func unneeded(_ store: some NodeTransaction, limit: Int = 9) throws -> [CustodyRow] {
        try [1, 2].map { DeviceID(hash($0).digest) }.sorted()
            .flatMap { try store.unneededCustodies(by: $0, limit: limit) }
    }

    private func checkCustody(_ store: inout some NodeTransaction, _ row: inout PayloadRow) throws {
        try require(store.custodyByteCounts().isEmpty && Self.unneeded(store).isEmpty)
        // A payload kept for others is not listed before its time is over; the size of a payload without a secret
        // counts all the same.
        row.keptUntil = 501
        try store.save(row)
        try require(store.payload(number: 3) == row && store.custodyByteCounts() == [Self.sender: row.paddedByteCount])
        try require(!store.unneededPayloads(begunBefore: 99, unnamedBefore: 0, at: 500, limit: 9).contains(row))
        try require(store.unneededPayloads(begunBefore: 99, unnamedBefore: 0, at: 501, limit: 9).contains(row))
        let kept = PayloadRow(
            number: 4,
            id: PayloadID(Self.hash(4).digest),
            zone: TestZone.id,
            state: .wanted,
            byteCount: 5,
            secret: nil,
            begun: 10,
            sender: Self.sender,
            keptUntil: 900
        )
        try store.save(kept)
        try require(store.payload(number: 4) == kept)
        // A device may take over what another one has left.
        var taken = kept
        taken.sender = DeviceID(Self.hash(6).digest)
        try store.save(taken)
        try require(store.payload(number: 4) == taken)
        try store.save(kept)
        try require(store.custodyByteCounts() == [Self.sender: row.paddedByteCount + 5])
        // Of one that is kept for records the bytes count as such.
        try require(store.recordCustodyByteCount() == 0)
        for keeping in [PayloadRow.Keeping.record, .several] {
            var other = kept
            other.keeping = keeping
            try store.save(other)
            try require(store.payload(number: 4) == other && store.recordCustodyByteCount() == 5)
        }
        try require(store.custodyByteCounts() == [Self.sender: row.paddedByteCount + 5])
        // It is held by what a record states from now on.
        let opened = PayloadRow(
            number: 4,
            id: kept.id,
            zone: TestZone.id,
            state: .present,
            byteCount: 3,
            secret: row.secret,
            begun: 10,
            sender: Self.sender,
            keptUntil: 900,
            isAsset: true
        )
        try store.save(opened)
        try require(store.payload(number: 4) == opened)
        try require(store.custodyByteCounts() == [Self.sender: row.paddedByteCount + opened.paddedByteCount])
        var released = kept
        (released.id, released.state) = (nil, .released)
        try store.save(released)
        try require(store.custodyByteCounts() == [Self.sender: row.paddedByteCount])
        try store.removePayload(number: 4)

        // The promises of relays to keep payloads.
        let payload = try required(row.id)
        var custodies = [1, 2].map { relay in
            CustodyRow(payload: payload, zone: TestZone.id, relay: DeviceID(Self.hash(relay).digest), until: 7)
        }.sorted { $0.relay < $1.relay }
        for custody in custodies.reversed() { try store.save(custody) }
        custodies[0].until = 8
        try store.save(custodies[0])
        try require(store.custodies(of: payload) == custodies)
        try require(store.custodies(of: PayloadID(Self.hash(8).digest)).isEmpty)
        var message = MessageRow(
            id: MessageID(zone: TestZone.id, tag: RecordTag(Self.hash(1).digest)),
            number: 1,
            zone: TestZone.id,
            tag: RecordTag(Self.hash(1).digest),
            place: Dot(actor: .zero, counter: 1),
            state: .sent,
            payload: payload
        )
        try store.save(message)
        try require(store.unsettledMessages(limit: 9) == [message] && Self.unneeded(store).isEmpty)
        message.isSettled = true
        try store.save(message)
        try require(store.message(message.id) == message && store.unsettledMessages(limit: 9).isEmpty)
        try require(Self.unneeded(store) == custodies && Self.unneeded(store, limit: 0).isEmpty)
        (message.isSettled, message.state) = (false, .waiting)
        try store.save(message)
        try require(store.unsettledMessages(limit: 9).isEmpty && Self.unneeded(store) == custodies)
        try store.removeMessage(message.id)
        try checkRecordCustody(&store, &custodies)
        for custody in custodies { try store.removeCustody(of: payload, by: custody.relay) }
        try require(store.custodies(of: payload).isEmpty)
    }

    /// The sums of kept payloads follow each change of a payload, whatever it is, and those whose time is over are listed by that.
    private func checkKeptSums(_ store: inout some NodeTransaction) throws {
        let (others, ofRecords) = (try store.custodyByteCounts(), try store.recordCustodyByteCount())
        let secret = try required(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)))
        let senders: [DeviceID?] = [DeviceID(Self.hash(6).digest), DeviceID(Self.hash(7).digest), nil]
        var rows: [UInt64: PayloadRow] = [:]
        for step in 0..<120 as Range<UInt64> {
            let number = 20 + step % 7
            if step % 11 == 10 {
                try store.removePayload(number: number)
                rows[number] = nil
            } else {
                let state: PayloadRow.State = step % 5 == 0 ? .released : step % 5 < 3 ? .wanted : .present
                let keeping = PayloadRow.Keeping(rawValue: Int(step % 3) + 1) ?? .message
                let row = PayloadRow(
                    number: number,
                    id: state == .released ? nil : PayloadID(Self.hash(number).digest),
                    zone: TestZone.id,
                    state: state,
                    byteCount: 1_000 + step,
                    secret: step % 2 == 0 ? secret : nil,
                    begun: 10,
                    sender: senders[Int(step % 13) % 3],
                    keptUntil: step % 2 == 0 && step % 9 == 0 ? nil : 900 - step,
                    keeping: keeping
                )
                try store.save(row)
                rows[number] = row
            }
            let kept = rows.values.filter { $0.keptUntil != nil && $0.state != .released && $0.sender != nil }
            let sums = kept.reduce(into: others) { $0[$1.sender ?? .zero, default: 0] += $1.paddedByteCount }
            try require(store.custodyByteCounts() == sums)
            let ofThese = kept.filter { $0.keeping != .message }.reduce(0) { $0 + $1.paddedByteCount }
            try require(store.recordCustodyByteCount() == ofRecords + ofThese)
            let ends = try store.unneededPayloads(begunBefore: 11, unnamedBefore: 0, at: 850, limit: 99)
                .filter { $0.state != .released }.compactMap(\.keptUntil)
            try require(ends == ends.sorted() && ends.allSatisfy { $0 <= 850 })
        }
        for number in rows.keys { try store.removePayload(number: number) }
        try require(store.custodyByteCounts() == others && store.recordCustodyByteCount() == ofRecords)
    }

    /// Promises for records are not listed as unneeded, until they are such for messages.
    private func checkRecordCustody(
        _ store: inout some NodeTransaction,
        _ custodies: inout [CustodyRow]
    ) throws {
        let payload = custodies[0].payload
        custodies[0].kind = .record
        try store.save(custodies[0])
        try require(store.custodies(of: payload) == custodies)
        try require(Self.unneeded(store) == [custodies[1]])
        try store.loosenCustodies(zone: ZoneID(Self.hash(77).digest))
        try require(store.custodies(of: payload) == custodies)
        try store.loosenCustodies(zone: TestZone.id)
        custodies[0].kind = .message
        try require(store.custodies(of: payload) == custodies && Self.unneeded(store) == custodies)
        // A promise that is made anew under another zone is one under that zone.
        let moved = CustodyRow(
            payload: payload,
            zone: ZoneID(Self.hash(78).digest),
            relay: custodies[1].relay,
            until: custodies[1].until,
            kind: .record
        )
        try store.save(moved)
        try require(store.custodies(of: payload) == [custodies[0], moved])
        // The promises of a relay that is gone, whatever they are for.
        let relays = custodies.map(\.relay).sorted()
        try require(store.promisingRelays() == relays && !store.removeCustodies(by: Self.sender, limit: 9))
        let further = CustodyRow(
            payload: PayloadID(Self.hash(8).digest),
            zone: TestZone.id,
            relay: moved.relay,
            until: 7
        )
        try store.save(further)
        try require(try store.removeCustodies(by: moved.relay, limit: 1) && store.promisingRelays() == relays)
        try require(try store.removeCustodies(by: moved.relay, limit: 9))
        try require(store.promisingRelays() == [custodies[0].relay] && store.custodies(of: payload) == [custodies[0]])
        try require(store.custodies(of: further.payload).isEmpty)
        try require(try !store.removeCustodies(by: moved.relay, limit: 9))
        try store.save(moved)
    }
}
