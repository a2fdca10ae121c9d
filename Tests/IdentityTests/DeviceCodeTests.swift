import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct DeviceCodeTests {
    @Test func `a device's code is read back, and a typing mistake names its group`() throws {
        let device = AccountFixture.device(2)
        let text = DeviceCode.text(for: device)
        #expect(text.split(separator: "-").map(\.count) == Array(repeating: 5, count: 13))
        #expect(try DeviceCode.device(from: text.lowercased()) == device)
        var wrong = Array(text)
        wrong[6] = wrong[6] == "A" ? "B" : "A"
        #expect(throws: CheckedGroupsError.wrongGroup(2)) { try DeviceCode.device(from: String(wrong)) }
    }

    @Test func `mistakes are described in words`() {
        #expect("\(CheckedGroupsError.wrongGroup(3))" == "group 3 is not the one that was shown")
        #expect("\(CheckedGroupsError.wrongCharacter("0", group: 2))".contains("“0” in group 2"))
        #expect("\(CheckedGroupsError.wrongLength(expected: 35, found: 3))".contains("3 characters instead of 35"))
        #expect("\(RecoveryPhraseError.unknownWord("zoom", position: 4))".contains("word 4, “zoom”"))
        #expect("\(RecoveryPhraseError.wrongCount(3))".contains("3 words instead of 24"))
        #expect("\(RecoveryPhraseError.wrongChecksum)".contains("at least one"))
    }
}
