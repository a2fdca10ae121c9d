import TestSupport
import Testing
import Wire

@Suite struct `Messages of mailboxes` {
    private static let proof = MailboxProof(key: [UInt8](repeating: 1, count: 32), other: hash(2))
    private static let parcel = [UInt8](repeating: 7, count: Limits.parcelByteCountMin)

    private static func hash<Kind>(_ number: UInt64) -> Identifier<Kind> {
        Identifier(Digest32(word0: number, word1: 0, word2: 0, word3: 0))
    }

    private static let requests: [MailboxRequest] = [
        .enter(secret: [UInt8](repeating: 3, count: 32)), .put(proof, parcel: parcel), .look([proof, proof]), .look([]),
        .fetch(proof, hash(4)), .remove(proof, [hash(5), hash(6)]), .check(proof, [hash(7)], withdrawing: [hash(8)]),
        .claim(hash(10), value: hash(11), until: 1_767_225_600_000),
        .give([hash(1), hash(2)]), .give([]),
    ]
    private static let replies: [MailboxReply] = [
        .entered(quota: 1 << 40, used: 5, backend: "sqlite"), .stored(hash(1), until: 1_767_225_600_000),
        .listed([ParcelNotice(mailbox: hash(1), parcel: hash(2), byteCount: 4_096)], isComplete: false),
        .listed([], isComplete: true), .parcel(parcel), .missing(hash(3)), .removed, .held([hash(4)]), .held([]),
        .refused(.notAdmitted), .refused(.full), .refused(.unavailable), .arrived(hash(9)),
        .claimed(hash(12)),
        .given([hash(1)]),
    ]

    @Test(arguments: requests) func `requests come back as they were`(_ request: MailboxRequest) throws {
        #expect(try MailboxRequest(decoding: request.encoded) == request)
        #expect(throws: WireError.self) { try MailboxRequest(decoding: request.encoded + [0]) }
    }

    @Test(arguments: replies) func `answers come back as they were`(_ reply: MailboxReply) throws {
        #expect(try MailboxReply(decoding: reply.encoded) == reply)
        #expect(throws: WireError.self) { try MailboxReply(decoding: reply.encoded + [0]) }
    }

    /// Law: bytes that decode are the encoding of their value.
    @Test(arguments: 0..<400) func `altered ones are refused, or encode to the same bytes again`(_ seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        let all = Self.requests.map(\.encoded) + Self.replies.map(\.encoded)
        var bytes = all[Int(seed) % all.count]
        for _ in 0...(random.next() % 3) {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        if random.next() % 4 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
        if let request = try? MailboxRequest(decoding: bytes) { #expect(request.encoded == bytes, "seed \(seed)") }
        if let reply = try? MailboxReply(decoding: bytes) { #expect(reply.encoded == bytes, "seed \(seed)") }
    }

    @Test func `the tags are those of the protocol`() {
        #expect(Self.requests.map(\.tag) == [1, 2, 3, 3, 4, 5, 6, 7, 8, 8])
        #expect(Self.replies.map(\.tag) == [1, 2, 3, 3, 4, 5, 6, 7, 7, 8, 8, 8, 9, 10, 11])
    }

    @Test func `a claim is a slot, a value and a time, and its answer a value`() throws {
        let (slot, value) = ([UInt8](repeating: 0xAA, count: 32), [UInt8](repeating: 0xBB, count: 32))
        let request = MailboxRequest.claim(
            try #require(SlotID(slot)),
            value: try #require(Hash(value)),
            until: 300
        )
        #expect(request.encoded == [7] + slot + value + [0xAC, 0x02])
        #expect(MailboxReply.claimed(try #require(Hash(value))).encoded == [10] + value)
        #expect(throws: WireError.self) { try MailboxRequest(decoding: [7] + slot + value) }
        #expect(throws: WireError.self) { try MailboxRequest(decoding: [7] + slot + value + [0xAC, 0x82, 0x00]) }
        #expect(throws: WireError.self) { try MailboxReply(decoding: [10] + value.dropLast()) }
    }

    @Test func `bounds are kept`() {
        let short = [UInt8](repeating: 0, count: Limits.parcelByteCountMin - 1)
        #expect(throws: WireError.self) {
            try MailboxRequest(decoding: MailboxRequest.put(Self.proof, parcel: short).encoded)
        }
        let proofs = [MailboxProof](repeating: Self.proof, count: Limits.mailboxCountMax + 1)
        #expect(throws: WireError.self) { try MailboxRequest(decoding: MailboxRequest.look(proofs).encoded) }
        let parcels = (0...UInt64(Limits.parcelCountMax)).map { Self.hash($0) as ParcelID }
        #expect(throws: WireError.self) {
            try MailboxRequest(decoding: MailboxRequest.remove(Self.proof, parcels).encoded)
        }
        #expect(throws: WireError.self) { try MailboxReply(decoding: MailboxReply.held(parcels).encoded) }
    }

    @Test func `requests disclose nothing of their secrets when they are printed`() {
        for request in Self.requests { #expect("\(request)" == "mailbox request \(request.tag)") }
        #expect("\(Self.proof)" == "mailbox proof")
    }
}
