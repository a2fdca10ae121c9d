import Testing

@testable import PeerControl

@Suite struct `An unknown verb` {
    private func found(_ line: String) -> UnknownVerb? {
        UnknownVerb.find(in: line.split(separator: " ").map(String.init), of: PeerControl.self)
    }

    @Test(arguments: [
        ("stats", "kairan status"), ("statsu", "kairan status"), ("zone lst", "kairan zone ls"),
        ("qeury z --type T", "kairan query"), ("share grand z a", "kairan share grant"),
    ])
    func `is answered with the one that may be meant`(line: String, nearest: String) {
        #expect(found(line)?.nearest == nearest)
    }

    @Test func `is answered with the help where none is near, and ends with 64`() throws {
        let unknown = try #require(found("zone frobnicate"))
        #expect(unknown.nearest == nil)
        #expect(unknown.refusal.detail == "There is no command `kairan zone frobnicate`.")
        #expect(unknown.refusal.fix == "`kairan help zone` lists all.")
        #expect(Failure(unknown.refusal).exitCode == 64)
        #expect(try #require(found("stats")).refusal.fix == "Did you mean `kairan status`? `kairan help` lists all.")
    }

    @Test(arguments: ["status x", "block stats", "inbox stats", "--json", "zone --x lst", "help stats", "get z n", ""])
    func `is no keyword of another meaning`(line: String) {
        #expect(found(line) == nil)
    }
}
