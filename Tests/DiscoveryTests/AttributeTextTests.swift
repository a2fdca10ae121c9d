import Node
import TestSupport
import Testing

@testable import Discovery

@Suite struct AttributeTextTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `a string is the key, an equals sign and the unchanged value`() {
        let attribute = ServiceAttribute(key: "v", value: [0, 61, 255])
        #expect(AttributeText.string(for: attribute) == [0x76, 0x3D, 0, 61, 255])
        #expect(AttributeText.attributes(of: [[0x76, 0x3D, 0, 61, 255]]) == [attribute])
    }

    @Test func `a string has at most 255 bytes`() {
        let fits = ServiceAttribute(key: "k", value: [UInt8](repeating: 1, count: 253))
        let tooLong = ServiceAttribute(key: "k", value: [UInt8](repeating: 1, count: 254))
        #expect(AttributeText.string(for: fits)?.count == 255)
        #expect(AttributeText.string(for: tooLong) == nil)
    }

    @Test(arguments: ["", "a=b", "ä", "a\n", "\u{7F}"])
    func `an invalid key is not published`(key: String) {
        #expect(AttributeText.string(for: ServiceAttribute(key: key, value: [])) == nil)
    }

    @Test func `strings without a key are passed over, without a sign they have no value`() {
        let strings = [bytes("=x"), [], bytes("flag"), [0xC3, 0xA4, 0x3D], bytes("a=1")]
        #expect(
            AttributeText.attributes(of: strings) == [
                ServiceAttribute(key: "flag", value: []), ServiceAttribute(key: "a", value: bytes("1")),
            ]
        )
    }

    @Test func `of two with one key the first is used, whatever the case of its letters`() {
        let strings = [bytes("Key=1"), bytes("kEY=2")]
        #expect(AttributeText.attributes(of: strings) == [ServiceAttribute(key: "Key", value: bytes("1"))])
    }

    @Test func `no more than 16 attributes are kept`() {
        let strings = (0..<100).map { bytes("k\($0)=\($0)") }
        let attributes = AttributeText.attributes(of: strings)
        #expect(attributes.count == 16)
        #expect(attributes.last?.key == "k15")
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `law: reading is bounded for any bytes, and values that were read can be written again`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let strings = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                random.bytes(Int.random(in: 0..<300, using: &random)).map { $0 % 96 }
            }
            let attributes = AttributeText.attributes(of: strings)
            #expect(attributes.count <= 16, "seed \(seed)")
            #expect(
                attributes.allSatisfy {
                    $0.value.count == 255 - $0.key.utf8.count || AttributeText.string(for: $0) != nil
                },
                "seed \(seed)"
            )
        }
    }
}
