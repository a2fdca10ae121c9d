import Testing
import Wire

@Suite struct `A broken encoding` {
    @Test(arguments: [
        (WireError.tooLong(limit: 64), "a value has more bytes or parts than the limit of 64"),
        (.unknownTag(99), "this version does not know the tag 99"),
        (.invalidValue("prefix"), "the field “prefix” holds an invalid value"),
    ])
    func `is named in words`(error: WireError, words: String) {
        #expect("\(error)" == words)
    }
}
