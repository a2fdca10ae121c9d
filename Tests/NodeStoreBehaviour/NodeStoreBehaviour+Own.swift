import Records
import ReplicaBehaviour
import Sodium
import Sync
import Wire

// The node's own rows beside the replica's.
extension NodeStoreBehaviour {
    static func device(_ number: UInt8) -> DeviceID { TestAuthor(number).author.device }

    func checkZones(_ store: inout some NodeTransaction) throws {
        // The same name under two accounts, one that looks like it, and a longer one.
        let names = ["caf\u{E9}", "caf\u{E9}", "cafe\u{301}", "caf\u{E9}s"]
        var rows: [ZoneRow] = []
        for (index, name) in names.enumerated() {
            let genesis = ZoneGenesis(
                owner: AccountID(Hash(digesting: .treeNode, [UInt8(index)]).digest),
                container: "org.example.\(index)",
                name: name,
                salt: Array(repeating: UInt8(index), count: ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            let id = ZoneID(Hash(digesting: .treeNode, Array(name.utf8) + [UInt8(index)]).digest)
            let row = ZoneRow(id: id, genesis: genesis, tagKey: Array(repeating: 7, count: 32))
            try store.save(row)
            rows.append(row)
        }
        func ids(_ rows: [ZoneRow]) -> [ZoneID] { rows.map(\.id) }
        try require(ids(store.zones(named: names[0])) == ids([rows[0], rows[1]]).sorted())
        try require(ids(store.zones(named: names[2])) == [rows[2].id])
        try require(store.zones(named: "caf").isEmpty)
        let sorted = ids(rows).sorted()
        try require(ids(store.zones(in: sorted[1]...sorted[2])) == [sorted[1], sorted[2]])
        try require(ids(store.zones(in: sorted[0]...sorted[3])) == sorted)
        // A zone that ends keeps its name.
        var ended = rows[0]
        ended.state = .deleted(reason: "")
        try store.save(ended)
        try require(store.zones(named: names[0]).contains { $0.id == ended.id && $0.isDeleted })
    }

    func checkEntries(_ store: inout some NodeTransaction) throws {
        try require(store.accountEntries().isEmpty)
        try store.appendAccountEntries([[1], [2, 2], []])
        try store.appendAccountEntries([[0]])
        try require(store.accountEntries() == [[1], [2, 2], [], [0]])
        try store.removeAccountEntries()
        try store.appendAccountEntries([[5]])
        try require(store.accountEntries() == [[5]])
    }

    func checkPeers(_ store: inout some NodeTransaction) throws {
        let devices = (1...3).map { Self.device($0) }
        for device in devices {
            try store.save(PeerRow(device: device, addresses: ["a:1"], lastSeenMilliseconds: 0))
        }
        let many = ["e:5", "[::1]:2", "c:3", "d:4", "a:1"]
        try store.save(PeerRow(device: devices[1], addresses: many, lastSeenMilliseconds: 77))
        let found = try store.peers()
        try require(found.map(\.device) == devices.sorted())
        let row = try required(found.first { $0.device == devices[1] })
        try require(row.addresses == Array(many.prefix(4)) && row.lastSeenMilliseconds == 77)
        try require(row.channelVersion == nil)
        for (said, kept) in [(.classical, .classical), (.hybrid, .hybrid), (.classical, .hybrid), (nil, .hybrid)]
            as [(ChannelVersion?, ChannelVersion?)]
        {
            var changed = row
            changed.channelVersion = said
            try store.save(changed)
            try require(store.peers().first { $0.device == devices[1] }?.channelVersion == kept)
        }
    }

    func checkAcknowledgements(_ store: inout some NodeTransaction) throws {
        let keys = [TestAuthor(1).log(), TestAuthor(1).log(TestZone.id, .control), TestAuthor(2).log()]
        var expected: [UInt64] = []
        for device in [Self.device(1), Self.device(2)].sorted() {
            for key in keys.sorted() {
                let sizes: [UInt64] = [5, 3, 9, 8]
                for size in sizes { try store.save([AcknowledgementRow(device: device, key: key, size: size)]) }
                expected.append(9)
            }
        }
        try store.save([
            AcknowledgementRow(device: Self.device(1), key: TestAuthor(1).log(.zero), size: 1)
        ])
        let rows = try store.acknowledgements(zone: TestZone.id)
        try require(rows.map(\.size) == expected)
        try require(zip(rows, rows.dropFirst()).allSatisfy { ($0.device, $0.key) < ($1.device, $1.key) })
        try require(store.acknowledgements(zone: .zero).map(\.size) == [1])
    }

    func checkValues(_ store: inout some NodeTransaction) throws {
        for value in [[1], [], [2, 3], nil, nil, [4]] as [[UInt8]?] {
            try store.setValue(value, named: "x")
            try require(store.value(named: "x") == value)
        }
        try require(store.value(named: "y") == nil)
    }

    private static func message(_ number: UInt64, _ zone: ZoneID = TestZone.id) -> MessageRow {
        let tag = RecordTag(Hash(digesting: .treeNode, [UInt8(number)]).digest)
        return MessageRow(
            id: MessageID(zone: zone, tag: tag),
            number: number,
            zone: zone,
            tag: tag,
            place: Dot(actor: TestAuthor(1).author.actor, counter: 1),
            state: .waiting
        )
    }

    func checkMessages(_ store: inout some NodeTransaction) throws {
        var rows = (1...5).map { Self.message($0, $0 == 4 ? .zero : TestZone.id) }
        (rows[0].state, rows[1].state) = (.sent, .finished)
        (rows[1].owesAnswer, rows[3].owesAnswer) = (true, true)
        (rows[2].expires, rows[4].expires) = (70, 50)
        for row in rows.reversed() { try store.save(row) }
        for row in rows { try require(store.message(row.id) == row) }
        try require(store.message(Self.message(9).id) == nil)
        try require(store.messages(zone: TestZone.id, after: 0, limit: 3) == [rows[0], rows[1], rows[2]])
        try require(store.messages(zone: TestZone.id, after: 2, limit: 9) == [rows[2], rows[4]])
        try require(store.waitingMessages(after: 0, limit: 9) == [rows[2], rows[3], rows[4]])
        try require(store.waitingMessages(after: 3, limit: 1) == [rows[3]])
        try require(store.messagesOwingAnswers(zone: TestZone.id, onlySent: false, limit: 9) == [rows[1]])
        try require(store.messagesOwingAnswers(zone: .zero, onlySent: false, limit: 9) == [rows[3]])
        try require(store.zonesOwingAnswers() == [.zero, TestZone.id])
        rows[0].owesAnswer = true
        try store.save(rows[0])
        try require(store.messagesOwingAnswers(zone: TestZone.id, onlySent: false, limit: 9) == [rows[0], rows[1]])
        try require(store.messagesOwingAnswers(zone: TestZone.id, onlySent: true, limit: 9) == [rows[0]])
        try require(store.messagesOwingAnswers(zone: .zero, onlySent: true, limit: 9).isEmpty)
        try require(store.expiredMessages(at: 49, limit: 9).isEmpty)
        try require(store.expiredMessages(at: 70, limit: 9) == [rows[4], rows[2]])
        try require(store.expiredMessages(at: 70, limit: 1) == [rows[4]])
        for state in MessageRow.State.allCases {
            (rows[4].state, rows[4].expires, rows[4].owesAnswer) = (state, nil, state == .failed)
            rows[4].payload = state == .fetching ? PayloadID(Hash(digesting: .treeNode, [5]).digest) : nil
            try store.save(rows[4])
            try require(store.message(rows[4].id) == rows[4])
        }
        try require(store.failedMessageCount() == 0)
        (rows[3].state, rows[3].secret) = (.failed, StoredSecret(Array(repeating: 7, count: 32)))
        try store.save(rows[3])
        try require(store.message(rows[3].id) == rows[3] && store.failedMessageCount() == 1)
        rows[3].state = .waiting
        try store.save(rows[3])
        try require(store.message(rows[3].id)?.secret == rows[3].secret)
        try store.removeMessage(rows[2].id)
        try store.removeMessage(rows[2].id)
        try require(store.message(rows[2].id) == nil && store.waitingMessages(after: 0, limit: 9) == [rows[3]])
        for row in rows {
            guard var row = try store.message(row.id) else { continue }
            row.owesAnswer = false
            try store.save(row)
        }
        try require(store.zonesOwingAnswers().isEmpty)
    }

    func checkHeldMessages(_ store: inout some NodeTransaction) throws {
        var rows = (1...4).map { Self.message($0) }
        for index in rows.indices { rows[index].state = .sent }
        (rows[0].heldSince, rows[1].heldSince, rows[2].heldSince) = (70, 50, 70)
        for row in rows.reversed() { try store.save(row) }
        for row in rows { try require(store.message(row.id) == row) }
        try require(store.heldMessages(since: 0...UInt64.max, limit: 9) == [rows[1], rows[0], rows[2]])
        try require(store.heldMessages(since: 50...69, limit: 9) == [rows[1]])
        try require(store.heldMessages(since: 51...70, limit: 1) == [rows[0]])
        try require(store.heldMessages(since: 71...UInt64.max, limit: 9).isEmpty)
        rows[1].heldSince = nil
        try store.save(rows[1])
        try require(store.message(rows[1].id) == rows[1])
        try require(store.heldMessages(since: 0...UInt64.max, limit: 9) == [rows[0], rows[2]])
    }

    /// Messages of two senders in two zones, at places on both sides of the ends of a section.
    func checkMessagePlaces(_ store: inout some NodeTransaction) throws {
        let (sender, other) = (TestAuthor(1).author.actor, TestAuthor(2).author.actor)
        let section = ReceiptSection(of: Dot(actor: sender, counter: ReceiptSection.counterCount))
        let (first, last) = (section.counters.lowerBound, section.counters.upperBound)
        let places: [(actor: ActorID, counter: UInt64, zone: ZoneID)] = [
            (sender, last, TestZone.id), (sender, first, TestZone.id), (sender, first - 1, TestZone.id),
            (sender, last + 1, TestZone.id), (other, first, TestZone.id), (sender, first, .zero),
            (sender, first, TestZone.id),
        ]
        var rows: [MessageRow] = []
        for (number, place) in zip(UInt64(1)..., places) {
            var row = Self.message(number, place.zone)
            row.place = Dot(actor: place.actor, counter: place.counter)
            try store.save(row)
            rows.append(row)
        }
        try require(store.messages(zone: TestZone.id, of: section, limit: 9) == [rows[1], rows[6], rows[0]])
        try require(store.messages(zone: TestZone.id, of: section, limit: 2) == [rows[1], rows[6]])
        try require(store.messages(zone: .zero, of: section, limit: 9) == [rows[5]])
        let unknown = ReceiptSection(of: Dot(actor: TestAuthor(3).author.actor, counter: first))
        try require(store.messages(zone: TestZone.id, of: unknown, limit: 9).isEmpty)
        // The sender has written its message again, as another actor.
        rows[0].place = Dot(actor: other, counter: 1)
        try store.save(rows[0])
        try require(store.message(rows[0].id) == rows[0])
        try require(store.messages(zone: TestZone.id, of: section, limit: 9) == [rows[1], rows[6]])
    }

    func checkPrekeys(_ store: inout some NodeTransaction) throws {
        var rows = try (UInt8(1)...4).map { number in
            PrekeyRow(
                id: PrekeyID(key: [number]),
                zone: number == 4 ? .zero : TestZone.id,
                seed: try required(StoredSecret(Array(repeating: number, count: StoredSecret.byteCount))),
                begun: UInt64(number),
                stated: UInt64(number),
                superseded: number < 3 ? 100 - UInt64(number) : nil
            )
        }
        for row in rows.reversed() { try store.save(row) }
        for row in rows { try require(store.prekey(row.id) == row) }
        try require(store.prekey(PrekeyID(key: [9])) == nil)
        try require(store.presentPrekey(zone: TestZone.id) == rows[2] && store.presentPrekey(zone: .zero) == rows[3])
        try require(store.prekeys(supersededBy: 97, limit: 9).isEmpty)
        try require(store.prekeys(supersededBy: 98, limit: 9) == [rows[1]])
        try require(store.prekeys(supersededBy: 200, limit: 9) == [rows[1], rows[0]])
        try require(store.prekeys(supersededBy: 200, limit: 1) == [rows[1]])
        for state in PrekeyRow.State.allCases {
            (rows[2].state, rows[2].stated) = (state, rows[2].stated + 1)
            try store.save(rows[2])
            try require(store.prekey(rows[2].id) == rows[2])
        }
        rows[2].superseded = 150
        try store.save(rows[2])
        try require(store.presentPrekey(zone: TestZone.id) == nil)
        try store.removePrekey(rows[1].id)
        try store.removePrekey(rows[1].id)
        try require(store.prekey(rows[1].id) == nil)
        try require(store.prekeys(supersededBy: 200, limit: 9) == [rows[0], rows[2]])
    }
}
