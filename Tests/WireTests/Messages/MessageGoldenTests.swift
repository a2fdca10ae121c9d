import Testing
import Wire

/// Messages byte for byte.
@Suite struct MessageGoldenTests {
    private static let secrets = AccountSecrets(
        fleetKey: [UInt8](repeating: 1, count: 32),
        accountSalt: [UInt8](repeating: 2, count: 32),
        zoneKey: [UInt8](repeating: 3, count: 32),
        recoverySecrets: [
            RecoverySecret(key: [UInt8](repeating: 5, count: 32), secret: [UInt8](repeating: 6, count: 32))
        ],
        fleetSecrets: [FleetSecret(entry: Layout.id(7), key: [UInt8](repeating: 8, count: 32), retired: 5, days: 3)]
    )

    private static let note: ProgramNote = {
        guard let note = ProgramNote(revision: 1, version: "0.1.0") else { preconditionFailure("it is a version") }
        return note
    }()
    private static let terms = ZoneTerms(genesis: Layout.genesis, tagKey: [UInt8](repeating: 4, count: 32))

    private static let golden: [(message: PeerMessage, hex: String)] = [
        (
            .accountHave(AccountHave(account: Layout.id(1), heads: [Layout.id(3), Layout.id(2)], wantsReply: true)),
            "01" + Layout.fill(1) + "02" + Layout.fill(2) + Layout.fill(3) + "01"
        ),
        (
            .accountEntries(AccountEntries(account: Layout.id(1), entries: [[0xAA], []], more: false)),
            "02" + Layout.fill(1) + "02 01 aa 00 00"
        ),
        (
            .rangeDigests(
                RangeDigests(
                    ranges: [
                        RangeDigest(
                            prefix: NibblePrefix(of: Layout.id(0xAB), count: 1),
                            itemCount: 300,
                            digest: Layout.id(4)
                        )
                    ]
                )
            ), "03 01 01 a0 ac02" + Layout.fill(4)
        ),
        (
            .rangeItems(
                RangeItems(
                    ranges: [
                        ItemRange(prefix: .empty, items: [RangeItem(zone: Layout.id(5), state: Layout.id(6))])
                    ],
                    isReply: true
                )
            ), "04 01 00 01" + Layout.fill(5) + Layout.fill(6) + "01"
        ),
        (
            .zoneState(
                ZoneState(
                    zone: Layout.id(7),
                    genesis: Layout.genesis,
                    logs: [
                        LogState(
                            device: Layout.id(8),
                            incarnation: Layout.incarnation(9),
                            right: .zero,
                            lane: .control,
                            size: 2,
                            root: Layout.id(0xA)
                        ),
                        LogState(
                            device: Layout.id(8),
                            incarnation: Layout.incarnation(9),
                            right: Layout.id(0xB),
                            lane: .data,
                            size: 3,
                            root: Layout.id(0xC)
                        ),
                    ],
                    checkpoint: .zero,
                    wantsReply: false
                )
            ),
            "05" + Layout.fill(7) + Layout.genesisHex + "02" + Layout.fill(8) + Layout.fill(9, 16) + "00 00 02"
                + Layout.fill(0xA) + Layout.fill(8) + Layout.fill(9, 16) + "01" + Layout.fill(0xB) + "01 03"
                + Layout.fill(0xC) + Layout.fill(0) + "00"
        ),
        (
            .run(Run(signedHead: Layout.signedHead(), from: 4, checkpoint: .zero, items: [])),
            "06" + Layout.signedHeadHex() + "04" + Layout.fill(0) + "00"
        ),
        (
            .acknowledge(
                Acknowledge(
                    zone: Layout.id(7),
                    logs: [AcknowledgedLog(actor: Layout.id(8), lane: .data, size: 128)]
                )
            ), "07" + Layout.fill(7) + "01" + Layout.fill(8) + "01 8001"
        ),
        (.ping(Ping(nonce: 0x0102, wallMilliseconds: 3)), "08 0000000000000102 03"),
        (.pong(Pong(nonce: 0x0102, wallMilliseconds: 3)), "09 0000000000000102 03"),
        (.pause(Pause(reason: .diskFull)), "0a 01"),
        (.pause(Pause(reason: .busy)), "0a 02"),
        (.resume, "0b"),
        (
            .forkProof(ForkProof(Layout.signedHead(root: 0x44), Layout.signedHead(root: 0x45))),
            "0c 00" + Layout.fill(0) + "05" + Layout.signedHeadHex(root: 0x44) + "00 00"
                + Layout.signedHeadHex(root: 0x45) + "00 00"
        ),
        (.reachRequest(ReachRequest(number: 300)), "39 ac02"),
        (.reachAnswer(ReachAnswer(number: 300, outcome: .silent)), "3a ac02 03"),
        (.program(note), "12 01 05 30 2e 31 2e 30"),
        (.pairRequest(PairRequest(certificate: [0xAA], account: Layout.id(1))), "14 01 aa" + Layout.fill(1)),
        (
            .pairWelcome(PairWelcome(secrets: secrets, entries: [[0xAA]])),
            "15" + Layout.fill(1) + Layout.fill(2) + Layout.fill(3) + "01" + Layout.fill(5) + Layout.fill(6)
                + "01" + Layout.fill(7) + Layout.fill(8) + "05 03" + "01 01 aa"
        ),
        (
            .fleetSecret(FleetSecret(entry: Layout.id(7), key: [UInt8](repeating: 8, count: 32))),
            "11" + Layout.fill(7) + Layout.fill(8) + "00 00"
        ),
        (
            .recoverySecret(
                RecoverySecret(key: [UInt8](repeating: 5, count: 32), secret: [UInt8](repeating: 6, count: 32))
            ),
            "10" + Layout.fill(5) + Layout.fill(6)
        ),
        (.pairRefusal(PairRefusal(code: 7)), "16 07"),
        (.pairDone, "17"),
        (.recoverRequest(RecoverRequest(entry: [0xAA, 0xBB])), "18 02 aabb"),
        (.pairTerms(PairTerms(role: .readOnly)), "19 03"),
        (.zoneTerms(terms), "0d" + Layout.genesisHex + Layout.fill(4)),
        (
            .joinRequest(JoinRequest(account: Layout.id(1), entries: [[0xAA], [0xBB, 0xCC]])),
            "1e" + Layout.fill(1) + "02 01 aa 02 bbcc"
        ),
        (
            .joinAnswer(JoinAnswer(.joined(terms, capability: Layout.id(5)), entries: [[0xAA]])),
            "1f 01" + Layout.genesisHex + Layout.fill(4) + Layout.fill(5) + "01 01 aa"
        ),
        (.joinAnswer(JoinAnswer(.waitingApproval, entries: [])), "1f 02 00"),
        (.joinAnswer(JoinAnswer(.waitingInviter, entries: [[0xAA]])), "1f 03 01 01 aa"),
        (.joinRefusal(JoinRefusal(.noRight)), "20 07"),
        (
            .guestWrite(
                GuestWrite(number: 5, zone: Layout.id(1), isAtomic: true, writes: guestWrites, entries: [[0xAA]])
            ),
            "28 05" + Layout.fill(1) + "01 3e 02"
                + "01 61 01 01 74 06 01" + Layout.fill(9, 16) + "01 01 70 01 01 66 01 01 78 01 01 67 01 01 63 03"
                + "01 01 73 01 04 01 01 01 01 73 00"
                + "01 62 00 01 00 02 00 00 00 00 00" + "01 01 aa"
        ),
        (
            .guestAnswer(
                GuestAnswer(
                    number: 5,
                    .decided([
                        .saved(version: [UInt8](repeating: 9, count: 16), milliseconds: 300, body: guestRecord),
                        .refused(.versionMismatch(current: nil)), .refused(.typeMismatch(current: "t")),
                        .refused(.batchRefused(index: 300)),
                    ])
                )
            ),
            "29 05 01 69 04" + "01" + Layout.fill(9, 16) + "ac02 49" + "01 01 61 01 74 00 00" + Layout.fill(2)
                + Layout.fill(3) + "00 00" + "02 01 00" + "02 05 01 74" + "02 0d ac02"
        ),
        (.guestAnswer(GuestAnswer(number: 5, .refused(.notHere))), "29 05 02 06"),
        (.liveSetRequest(LiveSetRequest(zone: Layout.id(1))), "0e" + Layout.fill(1) + "00"),
        (
            .liveSetRequest(
                LiveSetRequest(zone: Layout.id(1), place: .init(checkpoint: Layout.id(2), after: Layout.id(3)))
            ),
            "0e" + Layout.fill(1) + "01" + Layout.fill(2) + Layout.fill(3)
        ),
        (
            .liveSetPage(
                LiveSetPage(
                    zone: Layout.id(1),
                    checkpoint: Layout.id(2),
                    records: [
                        .init(
                            tag: Layout.id(3),
                            dots: [Dot(actor: Layout.id(4), counter: 1), Dot(actor: Layout.id(4), counter: 300)]
                        )
                    ],
                    isLast: true
                )
            ),
            "0f" + Layout.fill(1) + Layout.fill(2) + "01" + Layout.fill(3) + "02" + Layout.fill(4) + "01"
                + Layout.fill(4) + "ac02" + "01"
        ),
        (.liveSetPage(LiveSetPage(nothingOf: Layout.id(1))), "0f" + Layout.fill(1) + Layout.fill(0) + "00 01"),
        (
            .payloadRequest(PayloadRequest(zone: Layout.id(1), outlineOf: Layout.id(2))),
            "32" + Layout.fill(1) + Layout.fill(2) + "00"
        ),
        (
            .payloadMissing(PayloadRequest(zone: Layout.id(1), payload: Layout.id(2), positions: [300, 1])),
            "35" + Layout.fill(1) + Layout.fill(2) + "02 01 ac02"
        ),
        (
            .payloadChunk(PayloadChunk(zone: Layout.id(1), payload: Layout.id(2), position: 300, bytes: [0xAA])),
            "34" + Layout.fill(1) + Layout.fill(2) + "ac02 01 aa"
        ),
        (
            .custodyRequest(CustodyRequest(zone: Layout.id(1), payload: Layout.id(2), byteCount: 300)),
            "36" + Layout.fill(1) + Layout.fill(2) + "ac02 01"
        ),
        (
            .custodyRequest(
                CustodyRequest(zone: Layout.id(1), payload: Layout.id(2), byteCount: 300, kind: .record)
            ),
            "36" + Layout.fill(1) + Layout.fill(2) + "ac02 02"
        ),
        (
            .custodyAnswer(CustodyAnswer(zone: Layout.id(1), payload: Layout.id(2), outcome: .stored(until: 300))),
            "37" + Layout.fill(1) + Layout.fill(2) + "01 ac02"
        ),
        (
            .custodyAnswer(CustodyAnswer(zone: Layout.id(1), payload: Layout.id(2), outcome: .released)),
            "37" + Layout.fill(1) + Layout.fill(2) + "04"
        ),
        (
            .custodyRelease(CustodyRequest(zone: Layout.id(1), payload: Layout.id(2))),
            "38" + Layout.fill(1) + Layout.fill(2) + "00 01"
        ),
        (.part(lastPart), "3c 82e003 01 aabb"),
        (
            .retentionRequest(
                RetentionRequest(zone: Layout.id(1), asksForPromises: true, payloads: [Layout.id(3), Layout.id(2)])
            ),
            "3d" + Layout.fill(1) + "01 02" + Layout.fill(2) + Layout.fill(3)
        ),
        (
            .retentionAnswer(
                RetentionAnswer(
                    zone: Layout.id(1),
                    isAboutPromises: true,
                    statuses: [
                        RetentionStatus(payload: Layout.id(2), word: .promised(until: 300)),
                        RetentionStatus(payload: Layout.id(3), word: .absent),
                        RetentionStatus(payload: Layout.id(4), word: .evicting),
                        RetentionStatus(payload: Layout.id(5), word: .refused),
                    ]
                )
            ),
            "3e" + Layout.fill(1) + "01 04" + Layout.fill(2) + "01 ac02" + Layout.fill(3) + "03" + Layout.fill(4)
                + "04" + Layout.fill(5) + "05"
        ),
        (
            .retentionAnswer(
                RetentionAnswer(
                    zone: Layout.id(1),
                    isAboutPromises: false,
                    statuses: [RetentionStatus(payload: Layout.id(2), word: .held)]
                )
            ),
            "3e" + Layout.fill(1) + "00 01" + Layout.fill(2) + "02"
        ),
        (
            .payloadOutline(PayloadOutlineMessage(zone: Layout.id(1), payload: Layout.id(2), outline: outline)),
            "33" + Layout.fill(1) + Layout.fill(2) + "818004 808004 02" + Layout.fill(3) + Layout.fill(4)
        ),
    ]

    /// The last part of a message of 61,442 bytes.
    private static let lastPart: MessagePart = {
        let message = [UInt8](repeating: 0, count: Limits.messagePartByteCount) + [0xAA, 0xBB]
        guard let part = MessagePart(1, of: message) else { preconditionFailure("two parts") }
        return part
    }()

    /// The outline of one byte more than a chunk has.
    private static let outline: PayloadOutline = {
        guard
            let outline = PayloadOutline(
                byteCount: 65_537,
                chunkByteCount: Limits.chunkByteCount,
                chunks: [Layout.id(3), Layout.id(4)]
            )
        else { preconditionFailure("two chunks") }
        return outline
    }()
    private static let guestRecord = GuestRecord(
        RecordBody(
            name: "a",
            type: "t",
            isDeleted: false,
            parent: nil,
            creator: Layout.id(2),
            modifier: Layout.id(3),
            fields: []
        )
    )
    private static let guestWrites = [
        GuestRecordWrite(
            name: "a",
            type: "t",
            flags: [.replaceAll, .ifAbsent],
            ifVersion: [UInt8](repeating: 9, count: 16),
            parent: .set("p"),
            set: [.init(field: "f", value: .string("x"))],
            removed: ["g"],
            increments: [.init(field: "c", amount: -2)],
            insertions: [.init(field: "s", values: [.bool(true)])],
            withdrawals: [.init(field: "s", values: [])]
        ),
        GuestRecordWrite(name: "b", flags: .delete, parent: .clear),
    ]

    @Test(arguments: 0..<golden.count)
    func `each message is written as drawn`(index: Int) {
        let (message, hex) = Self.golden[index]
        #expect(message.encoded == Layout.bytes(hex))
        #expect(message.isEncoded(as: Layout.bytes(hex)))
        #expect(message.encoded.first == message.tag)
    }

    @Test func `every other tag is refused`() {
        let known = Set(Self.golden.map(\.message.tag))
        #expect(known.count == 41)
        for tag in UInt8.min...UInt8.max where !known.contains(tag) {
            #expect(throws: WireError.unknownTag(UInt64(tag))) { try PeerMessage(decoding: [tag]) }
        }
    }

    @Test func `a handshake's payload is written in the order of its drawing`() {
        let payload = HandshakePayload(
            certificate: [0xAA],
            account: Layout.id(1),
            accountHeads: [Layout.id(2)],
            boot: [UInt8](repeating: 3, count: 16),
            wallMilliseconds: 300,
            listenPort: 0x1234
        )
        let expected = Layout.bytes(
            "01 aa",
            Layout.fill(1),
            "01",
            Layout.fill(2),
            Layout.fill(3, 16),
            "ac02 1234"
        )
        #expect(payload.isEncoded(as: expected))
    }

    @Test func `an item outside its range is refused`() {
        let range = ItemRange(
            prefix: NibblePrefix(of: Layout.id(0xAA), count: 2),
            items: [RangeItem(zone: Layout.id(0xAB), state: .zero)]
        )
        #expect(throws: WireError.invalidValue("range item")) { try range.checkedEncoding() }
    }

    @Test func `a pause has a known reason`() {
        #expect(throws: WireError.invalidValue("reason")) { try Pause(decoding: [3]) }
    }

    @Test func `an answer to a request to join has a known state, and a zone's key has its size`() {
        #expect(throws: WireError.invalidValue("join state")) { try JoinAnswer(decoding: [4, 0]) }
        #expect(throws: WireError.invalidValue("join state")) { try JoinAnswer(decoding: [0, 0]) }
        #expect(throws: WireError.truncated) { try ZoneTerms(decoding: [UInt8](Self.terms.encoded.dropLast())) }
    }

    @Test func `an unknown refusal of a request to join is a plain no`() {
        #expect(JoinRefusalCode.allCases.map { JoinRefusal($0).meaning } == JoinRefusalCode.allCases)
        #expect(JoinRefusal(code: 200).meaning == .refused)
        #expect(JoinRefusalCode.allCases.filter(\.isPassing) == [.busy])
    }

    @Test func `a guest's request has at least one write, and no unknown flag or parent`() {
        let empty = GuestWrite(number: 1, zone: Layout.id(1), isAtomic: false, writes: [], entries: [])
        #expect(throws: WireError.invalidValue("number of writes")) { try GuestWrite(decoding: empty.encoded) }
        var bytes = GuestRecordWrite(name: "b").encoded
        bytes[3] = 16
        #expect(throws: WireError.invalidValue("flags of a write")) { try GuestRecordWrite(decoding: bytes) }
        bytes[3] = 0
        bytes[5] = 3
        #expect(throws: WireError.invalidValue("parent of a write")) { try GuestRecordWrite(decoding: bytes) }
        #expect(throws: WireError.invalidValue("result of a guest's write")) { try GuestResult(decoding: [3, 0]) }
        #expect(throws: WireError.invalidValue("refusal of a guest's write")) { try GuestResult(decoding: [2, 15]) }
        #expect(throws: WireError.invalidValue("outcome of a guest's write")) { try GuestAnswer(decoding: [1, 3]) }
    }

    @Test func `secrets do not show in a description`() {
        let shown =
            "\(Self.secrets)" + String(reflecting: Self.secrets) + "\(Mirror(reflecting: Self.secrets).children.count)"
        #expect(shown == "AccountSecretsAccountSecrets0")
        let answer = JoinAnswer(.joined(Self.terms, capability: Layout.id(5)), entries: [])
        var dumped = ""
        dump(answer, to: &dumped)
        for text in ["\(Self.terms)", String(reflecting: answer), dumped] {
            #expect(text.contains("ZoneTerms") && !text.contains("tagKey"))
        }
    }
}
