import Testing
import Wire

/// Limits hold at the edge: the largest value passes, the next one is refused.
@Suite struct LimitsTests {
    private func error<Value: WireCodable>(_ value: Value) -> WireError? {
        do {
            _ = try value.checkedEncoding()
            return nil
        } catch {
            return error
        }
    }

    private func body(name: String = "n", type: String = "t", fieldCount: Int = 0, extra: Int = 0) -> RecordBody {
        let entry = FieldEntry(dot: Dot(actor: Layout.id(1), counter: 1), time: .zero, value: .null)
        return RecordBody(
            name: name,
            type: type,
            isDeleted: false,
            parent: nil,
            creator: Layout.id(1),
            modifier: Layout.id(1),
            fields: (0..<fieldCount).map { RecordField(name: "f\($0)", entries: [entry]) },
            unknownExtension: [UInt8](repeating: 0, count: extra)
        )
    }

    @Test func `names have 1 to 255 bytes`() {
        #expect(error(body(name: String(repeating: "n", count: 255))) == nil)
        #expect(error(body(name: String(repeating: "n", count: 256))) == .tooLong(limit: 255))
        #expect(error(body(name: String(repeating: "é", count: 128))) == .tooLong(limit: 255))
        #expect(error(body(name: "")) == .invalidValue("string length"))
        #expect(error(body(type: "")) == .invalidValue("string length"))
    }

    @Test func `a record has at most 1,000 fields`() {
        #expect(error(body(fieldCount: 1_000)) == nil)
        #expect(error(body(fieldCount: 1_001)) == .tooLong(limit: 1_000))
    }

    @Test func `an extension has at most 64 KiB`() {
        #expect(error(body(extra: 65_536)) == nil)
        #expect(error(body(extra: 65_537)) == .tooLong(limit: 65_536))
    }

    @Test func `a field keeps 1 to 64 values`() {
        func field(_ count: Int) -> RecordField {
            let dots = (0..<count).map { Dot(actor: Layout.id(1), counter: UInt64($0) + 1) }
            return RecordField(name: "f", entries: dots.map { FieldEntry(dot: $0, time: .zero, value: .null) })
        }
        #expect(error(field(0)) == .invalidValue("field entries"))
        #expect(error(field(64)) == nil)
        #expect(error(field(65)) == .tooLong(limit: 64))
    }

    @Test func `two fields of one name are refused, two values of one dot are not`() {
        let dot = Dot(actor: Layout.id(1), counter: 1)
        let entries = [
            FieldEntry(dot: dot, time: .zero, value: .bool(true)),
            FieldEntry(dot: dot, time: .zero, value: .bool(false)),
        ]
        // A forked log's author wrote both; neither may be lost.
        let field = RecordField(name: "f", entries: entries.reversed())
        #expect(error(field) == nil)
        #expect(field == RecordField(name: "f", entries: entries + entries))
        let fields = entries.map { RecordField(name: "f", entries: [$0]) }
        let twice = RecordBody(
            name: "n",
            type: "t",
            isDeleted: false,
            parent: nil,
            creator: Layout.id(1),
            modifier: Layout.id(1),
            fields: fields
        )
        #expect(error(twice) == .notAscending)
    }

    @Test func `lists nest eight deep and no deeper`() {
        func nested(_ depth: Int) -> FieldValue {
            (0..<depth).reduce(.null) { value, _ in .list([value]) }
        }
        #expect(error(nested(8)) == nil)
        #expect(error(nested(9)) == .tooDeep)
    }

    @Test func `hostile nesting is refused without using up the stack`() {
        var value = FieldValue.null
        for _ in 0..<200 {
            value = .list([value])
        }
        #expect(throws: WireError.tooDeep) { try FieldValue(decoding: value.encoded) }
    }

    @Test func `a long list is not a deep one`() {
        #expect(error(FieldValue.list([FieldValue](repeating: .list([]), count: 1_000))) == nil)
        #expect(error(FieldValue.list([FieldValue](repeating: .null, count: 65_536))) == nil)
        #expect(error(FieldValue.list([FieldValue](repeating: .null, count: 65_537))) == .tooLong(limit: 65_536))
    }

    @Test func `a vector has at most 4,096 actors`() {
        func vector(_ count: UInt64) -> VersionVector {
            VersionVector(
                covering: (0..<count).map {
                    Dot(actor: ActorID(Digest32(word0: $0, word1: 0, word2: 0, word3: 0)), counter: 1)
                }
            )
        }
        #expect(error(vector(4_096)) == nil)
        #expect(error(vector(4_097)) == .tooLong(limit: 4_096))
    }

    @Test func `a head with the fullest vector is within its limit`() {
        var head = Layout.head()
        head.seen = VersionVector(
            covering: (0..<4_096).map {
                Dot(actor: ActorID(Digest32(word0: $0, word1: 0, word2: 0, word3: 0)), counter: Limits.counterMax)
            }
        )
        #expect(error(SignedTreeHead(head, signature: Layout.signature(1))) == nil)
    }

    @Test func `a body has at most 1 MiB and 64 KiB`() {
        func operation(_ count: Int) -> Operation {
            Operation(header: GoldenOperations.header, body: [UInt8](repeating: 7, count: count))
        }
        #expect(error(operation(1_114_112)) == nil)
        #expect(error(operation(1_114_113)) == .tooLong(limit: 1_114_112))
    }

    @Test func `a run has at most 16,384 items`() {
        let gap = SubtreeGap(level: 0, index: 0, hash: .zero)
        func run(_ count: Int) -> Run {
            Run(
                signedHead: Layout.signedHead(),
                from: 0,
                checkpoint: .zero,
                items: [LogItem](repeating: .gap(gap), count: count)
            )
        }
        #expect(error(run(16_384)) == nil)
        #expect(error(run(16_385)) == .tooLong(limit: 16_384))
    }

    @Test func `a run has at most 16 MiB`() {
        let operation = Operation(header: GoldenOperations.header, body: [UInt8](repeating: 7, count: 1_048_576))
        func run(_ count: Int) -> Run {
            Run(
                signedHead: Layout.signedHead(),
                from: 0,
                checkpoint: .zero,
                items: [LogItem](repeating: .operation(operation), count: count)
            )
        }
        #expect(error(PeerMessage.run(run(15))) == nil)
        #expect(error(PeerMessage.run(run(16))) == .tooLong(limit: 16_777_216))
    }

    @Test func `only a run is larger than 1 MiB`() {
        let entry = [UInt8](repeating: 1, count: 1_048_500)
        let secrets = AccountSecrets(
            fleetKey: [UInt8](repeating: 1, count: 32),
            accountSalt: [UInt8](repeating: 2, count: 32),
            zoneKey: [UInt8](repeating: 3, count: 32)
        )
        let welcome = PeerMessage.pairWelcome(PairWelcome(secrets: secrets, entries: [entry]))
        #expect(error(welcome) == .tooLong(limit: 1_048_576))
    }

    @Test func `account entries have at most 512 KiB together`() {
        func message(_ count: Int) -> AccountEntries {
            let half = [UInt8](repeating: 1, count: 262_144)
            return AccountEntries(
                account: Layout.id(1),
                entries: [half, half, [UInt8](repeating: 1, count: count)],
                more: false
            )
        }
        #expect(error(message(0)) == nil)
        #expect(error(message(1)) == .tooLong(limit: 524_288))
    }

    @Test func `a request to join and its answer carry at most 512 KiB of entries`() {
        let half = [UInt8](repeating: 1, count: 262_144)
        for (extra, refusal) in [(0, nil), (1, WireError.tooLong(limit: 524_288))] {
            let entries = [half, half, [UInt8](repeating: 1, count: extra)]
            #expect(error(JoinRequest(account: Layout.id(1), entries: entries)) == refusal)
            #expect(error(JoinAnswer(.waitingApproval, entries: entries)) == refusal)
        }
    }

    @Test func `a guest's request with the longest account log fits a message`() {
        func message(_ value: Int) -> GuestWrite {
            let half = [UInt8](repeating: 1, count: 262_144)
            return GuestWrite(
                number: .max,
                zone: Layout.id(1),
                isAtomic: true,
                writes: [
                    GuestRecordWrite(
                        name: "a",
                        set: [.init(field: "f", value: .bytes(.init(repeating: 1, count: value)))]
                    )
                ],
                entries: [half, half]
            )
        }
        let room = Limits.guestWriteByteCountMax - message(300_000).writesByteCount + 300_000
        #expect(error(message(room)) == nil)
        #expect(error(PeerMessage.guestWrite(message(room))) == nil)
        #expect(error(message(room + 1)) == .tooLong(limit: Limits.guestWriteByteCountMax))
    }

    @Test func `range items are counted over all ranges`() {
        func message(_ perRange: Int) -> RangeItems {
            let ranges = (0..<2).map { range in
                ItemRange(
                    prefix: NibblePrefix(
                        of: Hash(Digest32(word0: UInt64(range) << 60, word1: 0, word2: 0, word3: 0)),
                        count: 1
                    ),
                    items: (0..<perRange).map { item in
                        let word = UInt64(range) << 60 | UInt64(item)
                        return RangeItem(
                            zone: Hash(Digest32(word0: word, word1: 0, word2: 0, word3: 0)),
                            state: .zero
                        )
                    }
                )
            }
            return RangeItems(ranges: ranges, isReply: false)
        }
        #expect(error(message(2_048)) == nil)
        #expect(error(message(2_049)) == .tooLong(limit: 4_096))
    }

    @Test func `account heads are at most 64`() {
        func message(_ count: UInt64) -> AccountHave {
            let heads = (0..<count).map { Hash(Digest32(word0: $0, word1: 0, word2: 0, word3: 0)) }
            return AccountHave(account: Layout.id(1), heads: heads, wantsReply: false)
        }
        #expect(error(message(64)) == nil)
        #expect(error(message(65)) == .tooLong(limit: 64))
    }
}
