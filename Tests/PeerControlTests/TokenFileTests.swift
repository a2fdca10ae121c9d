import Foundation
import Testing

@testable import PeerControl

@Suite struct `The token file` {
    @Test func `is read without the white space around it, if one is named`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("token-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }  // A leftover in /tmp does no harm.
        try "\n  abc\r\n".write(to: url, atomically: false, encoding: .utf8)
        #expect(try TokenFile.token(["KAIRAN_TOKEN_FILE": url.path]) == "abc")
        #expect(try TokenFile.token([:]) == nil && TokenFile.token(["KAIRAN_TOKEN_FILE": ""]) == nil)
        let error = #expect(throws: InputError.self) { try TokenFile.token(["KAIRAN_TOKEN_FILE": "/nonexistent"]) }
        #expect(error?.detail.contains("/nonexistent") == true)
    }
}
