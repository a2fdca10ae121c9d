import Mailbox
import Sodium
import TestSupport
import Testing
import Wire

@Suite struct `A parcel` {
    private static let relay = RelayID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0))
    private static let alice = DeviceID(Digest32(word0: 2, word1: 0, word2: 0, word3: 0))
    private static let bob = DeviceID(Digest32(word0: 3, word1: 0, word2: 0, word3: 0))

    private static func keys(day: UInt64 = 1) throws -> MailboxKeys {
        var random = SeededGenerator(seed: 1)
        let own = AgreementKey.generate(using: &random)
        let other = AgreementKey.generate(using: &random)
        return try PartnerSecret(own: own, other: other.publicKey)
            .keys(relay: relay, sender: alice, recipient: bob, day: day)
    }

    /// Law: a sealed parcel opens to its content, and has one of few sizes.
    @Test(arguments: 0..<40) func `opens to the sealed content`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let messages = (0..<Int(random.next() % 20)).map { _ in random.bytes(Int(random.next() % 9_000)) }
        let keys = try Self.keys()
        let sealed = try #require(Parcel(messages: messages).sealed(keys, using: &random))
        #expect(Parcel.sizes.contains(sealed.bytes.count), "seed \(seed)")
        #expect(try Parcel(opening: sealed.bytes, keys).messages == messages, "seed \(seed)")
        #expect(SealedParcel(bytes: sealed.bytes).id == sealed.id)
        // Sealed again it is another one: no relay can tell that two parcels hold the same.
        #expect(Parcel(messages: messages).sealed(keys, using: &random)?.id != sealed.id)
    }

    @Test func `has the size of the next class`() throws {
        var random = SeededGenerator(seed: 2)
        let keys = try Self.keys()
        let sizes = try [0, 4_000, 4_096, 8_000, 1_000_000].map { count in
            try #require(Parcel(messages: [random.bytes(count)]).sealed(keys, using: &random)).bytes.count
        }
        #expect(sizes == [4_096, 4_096, 8_192, 8_192, 1 << 20])
        #expect(Parcel.sizes.count == 14)
        #expect(Parcel.sizes.first == Limits.parcelByteCountMin && Parcel.sizes.last == Limits.parcelByteCountMax)
    }

    @Test func `holds its stated number of bytes and no more`() throws {
        var random = SeededGenerator(seed: 3)
        let keys = try Self.keys()
        let count = Parcel.contentByteCountMax - 10
        #expect(Parcel.byteCount(ofMessage: count) == Parcel.contentByteCountMax)
        let full = [UInt8](repeating: 1, count: count)
        #expect(Parcel(messages: [full]).sealed(keys, using: &random)?.bytes.count == Limits.parcelByteCountMax)
        let more = [UInt8](repeating: 1, count: Limits.parcelByteCountMax)
        #expect(Parcel(messages: [more]).sealed(keys, using: &random) == nil)
    }

    @Test func `opens in its own mailbox only`() throws {
        var random = SeededGenerator(seed: 4)
        let sealed = try #require(Parcel(messages: [[1]]).sealed(try Self.keys(), using: &random))
        #expect(throws: ParcelError.notAuthentic) { try Parcel(opening: sealed.bytes, try Self.keys(day: 2)) }
    }

    /// Law: no altered, cut or made up bytes open.
    @Test(arguments: 0..<60) func `does not open when it was altered`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let keys = try Self.keys()
        var bytes = try #require(Parcel(messages: [random.bytes(200)]).sealed(keys, using: &random)).bytes
        switch seed % 3 {
        case 0:
            bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
            #expect(throws: ParcelError.notAuthentic, "seed \(seed)") { try Parcel(opening: bytes, keys) }
        case 1:
            bytes.removeLast(1 + Int(random.next() % 4_095))
            #expect(throws: ParcelError.malformed, "seed \(seed)") { try Parcel(opening: bytes, keys) }
        default:
            bytes = random.bytes(8_192)
            #expect(throws: ParcelError.notAuthentic, "seed \(seed)") { try Parcel(opening: bytes, keys) }
        }
    }

    @Test func `is padded with zeros and nothing else`() throws {
        var writer = WireWriter(capacity: 8)
        writer.writeCount(1)
        writer.writeBytes([9, 9])
        #expect(try Parcel(padded: writer.bytes + [0, 0, 0]).messages == [[9, 9]])
        #expect(throws: WireError.trailingBytes) { try Parcel(padded: writer.bytes + [0, 1, 0]) }
        #expect(throws: WireError.self) { try Parcel(padded: [0xFF, 0xFF, 0xFF]) }
    }
}
