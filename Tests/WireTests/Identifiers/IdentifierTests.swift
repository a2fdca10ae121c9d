import TestSupport
import Testing
import Wire

/// Identifiers as bytes, words and text.
@Suite struct IdentifierTests {
    private let ascending = (0..<32).map { UInt8($0) }

    @Test func `a digest keeps its bytes`() throws {
        let digest = try #require(Digest32(ascending))
        #expect(digest.word0 == 0x0001_0203_0405_0607)
        #expect(digest.word3 == 0x1819_1A1B_1C1D_1E1F)
        #expect(digest.bytes == ascending)
        #expect(digest.hex == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect(Digest32(hex: digest.hex) == digest)
        #expect(Digest32(ascending.dropLast()) == nil)
        #expect(Digest32(ascending + [0]) == nil)
    }

    @Test func `digests sort as their bytes do`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1_000 {
            let left = generator.digest()
            let right = generator.digest()
            #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
        }
    }

    @Test func `the text of an identifier is base32 in lower case without padding`() throws {
        // Checked against Python: base64.b32encode(bytes(range(32))).decode().lower().rstrip("=")
        let text = "aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypq"
        let zone = try #require(ZoneID(ascending))
        #expect(zone.text == text)
        #expect(zone.shortText == "aaaqeaye")
        #expect(ZoneID(text: text) == zone)
        #expect("\(zone)" == text)
    }

    @Test func `text reads back to the same identifier`() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<1_000 {
            let device = DeviceID.sample(&generator)
            #expect(device.text.utf8.count == DeviceID.textCharacterCount)
            #expect(DeviceID(text: device.text) == device)
        }
    }

    @Test func `text of another form is refused`() {
        let text = "aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypq"
        let stem = text.dropLast()
        // The last character carries one bit; all but "a" and "q" set bits that belong to no byte.
        for last in "abcdefghijklmnopqrstuvwxyz234567" {
            #expect((DeviceID(text: stem + String(last)) != nil) == (last == "a" || last == "q"), "\(last)")
        }
        let wrong = [
            "", text.uppercased(), text + "=", text + "a", String(stem), " " + stem, stem + "1", stem + "é",
            text.replacing("q", with: "0"),
        ]
        for text in wrong {
            #expect(DeviceID(text: text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb"),
        ("foobar", "mzxw6ytboi"),
    ])
    func `base32 agrees with RFC 4648 section 10`(plain: String, text: String) {
        #expect(Base32.encode([UInt8](plain.utf8)) == text)
        #expect(Base32.decode(text) == [UInt8](plain.utf8))
    }

    @Test(arguments: ["a", "aaa", "aaaaaa", "mz======", "MY", "m1", "mz"])
    func `base32 that no bytes have is refused`(text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test func `hexadecimal has an even number of lower-case digits`() {
        #expect(Hexadecimal.encode([0x00, 0xAF, 0xFF]) == "00afff")
        #expect(Hexadecimal.decode("00afff") == [0x00, 0xAF, 0xFF])
        for wrong in ["0", "0AFF", "0g", " 00", "0x"] {
            #expect(Hexadecimal.decode(wrong) == nil)
        }
    }

    @Test func `an incarnation keeps its bytes and sorts by them`() throws {
        let bytes = [UInt8](ascending.prefix(16))
        let incarnation = try #require(Incarnation(bytes))
        #expect(incarnation.bytes == bytes)
        #expect(incarnation.text == "000102030405060708090a0b0c0d0e0f")
        #expect(Incarnation(text: incarnation.text) == incarnation)
        #expect(Incarnation(text: "00") == nil)
        #expect(Incarnation([UInt8](ascending.prefix(15))) == nil)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let left = Incarnation(using: &generator)
            let right = Incarnation(using: &generator)
            #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
        }
    }

    @Test func `a signature has 64 bytes`() {
        #expect(Signature64([UInt8](repeating: 1, count: 63)) == nil)
        #expect(Signature64([UInt8](repeating: 1, count: 65)) == nil)
        #expect(Signature64([UInt8](repeating: 1, count: 64))?.bytes.count == 64)
    }

    @Test func `zero means none`() {
        #expect(Hash.zero.isZero)
        #expect(!(Layout.id(1) as Hash).isZero)
    }
}
