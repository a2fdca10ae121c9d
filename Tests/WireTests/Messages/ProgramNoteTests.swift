import Testing
import Wire

@Suite struct `A note about a program` {
    @Test(arguments: ["0.1.0", "1", "12.30.400-rc.1+abc", String(repeating: "~", count: 32)])
    func `is read with a version of printable characters`(version: String) throws {
        let note = try #require(ProgramNote(revision: 7, version: version))
        let read = try ProgramNote(decoding: note.encoded)
        #expect(read == note && read.revision == 7 && read.version == version)
    }

    @Test(arguments: [
        "", "0.1 0", "0.1\n", "\u{1B}[31m0.1", "0.1\u{7F}", "0.1\u{E9}", "\u{202E}1.0",
        String(repeating: "1", count: 33),
    ])
    func `is refused with a version that is empty, too long, or would do something to a terminal`(version: String) {
        #expect(ProgramNote(version: version) == nil)
        let bytes = [1, UInt8(version.utf8.count)] + Array(version.utf8)
        #expect(throws: WireError.self) { try ProgramNote(decoding: bytes) }
    }

    @Test func `is refused with the revision reserved for silent programs`() {
        #expect(ProgramNote(revision: 0, version: "1") == nil)
        #expect(throws: WireError.invalidValue("revision")) { try ProgramNote(decoding: [0, 1, 0x31]) }
    }
}
