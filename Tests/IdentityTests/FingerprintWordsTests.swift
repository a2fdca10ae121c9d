import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct FingerprintWordsTests {
    @Test func `both ends of a session show the same six words`() {
        let hash = Array(UInt8(0)..<64)
        let words = FingerprintWords.six(from: hash)
        #expect(words.count == 6 && words.allSatisfy { WordList.index(of: $0) != nil })
        #expect(words == FingerprintWords.six(from: hash))
    }

    @Test func `another session, another device and another purpose have other words`() {
        let device = AccountFixture.device(0)
        #expect(FingerprintWords.six(of: device) != FingerprintWords.six(of: AccountFixture.device(1)))
        #expect(FingerprintWords.six(of: device) != FingerprintWords.six(from: device.bytes))
        #expect(FingerprintWords.six(from: [1]) != FingerprintWords.six(from: [2]))
    }

    @Test func `numbers of eleven bits and bytes are two forms of one thing`() {
        var generator = SeededGenerator(seed: 31)
        for _ in 0..<50 {
            let bytes = generator.bytes(33)
            #expect(ElevenBitGroups.join(ElevenBitGroups.split(bytes)) == bytes)
        }
        #expect(ElevenBitGroups.split([0xFF, 0xE0, 0x01]) == [0x7FF, 0])
    }
}
