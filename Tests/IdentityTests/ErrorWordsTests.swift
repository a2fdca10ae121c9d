import Identity
import Testing
import Wire

@Suite struct `A refusal of the account's log` {
    @Test(arguments: [
        (
            AccountError.badName(.byteCount(65)),
            "the text is not a name: it has 65 bytes, and a name has 1 to 64"
        ),
        (
            .badName(.character("\u{202E}")),
            "the text is not a name: it has the character U+202E, which no name may have"
        ),
        (
            .badCertificate(.malformed(.truncated)),
            "the entry adds no valid device: the certificate cannot be read: the bytes end before the value does"
        ),
        (.lastFullDevice, "no device with the role full would be left"),
    ])
    func `is a part of a sentence for people`(error: AccountError, words: String) {
        #expect("\(error)" == words)
    }

    @Test(arguments: [
        (KeyFileError.otherSeal, "the key file is sealed under another key than the seal's"),
        (.laterVersion(9), "a later version of Kairan wrote the key file (format 9)"),
    ])
    func `of a key file names the fault, and nothing of the keys`(error: KeyFileError, words: String) {
        #expect("\(error)" == words)
    }
}
