import Identity
import Testing

@Suite struct `A refusal to start` {
    private typealias Refusal = StartDecision.Refusal

    @Test func `speaks of one file or of several`() {
        let cases: [(refusal: Refusal, beginning: String)] = [
            (.keysMissing([.deviceKey]), "keys/device.key is missing in /s, "),
            (.keysMissing([.deviceKey, .accountKey]), "keys/device.key, keys/account.key are missing in /s, "),
            (.damaged([.accountLog]), "keys/account.log is damaged in /s; "),
            (
                .damaged([.deviceKey, .accountKey, .accountLog]),
                "keys/device.key, keys/account.key, keys/account.log are damaged in /s; "
            ),
        ]
        for (refusal, beginning) in cases {
            let words = refusal.words(in: "/s")
            #expect(words.hasPrefix(beginning), "\(words)")
        }
    }
}
