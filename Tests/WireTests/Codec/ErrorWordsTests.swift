import Testing
import Wire

@Suite struct `A broken encoding` {
    @Test(arguments: [
        (WireError.tooLong(limit: 64), "something has more bytes or parts than the 64 that are allowed"),
        (.unknownTag(99), "this version does not know the tag 99"),
        (.invalidValue("prefix"), "the field “prefix” holds what it cannot mean"),
    ])
    func `is named in words`(error: WireError, words: String) {
        #expect("\(error)" == words)
    }
}
