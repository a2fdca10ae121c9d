import ArgumentParser
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Values that the shell completes` {
    private func read<Value: Decodable>(_ text: String) throws -> Value { try DaemonClient.decode(Array(text.utf8)) }

    private func zone(_ id: String, _ name: String, _ container: String, owner: String = "oooooooooo") throws -> Zone {
        try read(
            #"{"zone":"\#(id)","name":"\#(name)","container":"\#(container)","kind":"custom","database":"private","#
                + #""owner":"\#(owner)","own":true,"rights":"admin","public":{"world":[],"authenticated":[],"creator":[]},"#
                + #""records":0,"internal_records":0,"epoch":null,"digest":"","peers":[]}"#
        )
    }

    @Test func `are none that a shell would run or read otherwise`() {
        let names = [
            "notes", "$(touch x)", "`x`", "a b", "a;b", "~", "-x", "", "org.example/notes", "ü", "a\nb", "a'b", "a\\b",
            "*",
            "a\u{202E}b", "${x}", "notes", "買い物", "e\u{301}",
        ]
        #expect(CompletedValue.safe(names) == ["notes", "org.example/notes", "ü", "買い物"])
    }

    @Test func `are zones by name, and by container where several have the name`() throws {
        let zones = try [zone("z1", "notes", "org.a"), zone("z2", "notes", "org.b"), zone("z3", "tasks", "org.a")]
        #expect(CompletedValue.names(of: zones) == ["org.a/notes", "org.b/notes", "tasks"])
    }

    @Test func `are devices by name, and accounts by as much as tells them apart`() throws {
        let peers: [Peer] = try ["one", "two", "two"].enumerated().map { index, name in
            try read(
                #"{"device":"device\#(index)xxxxxx","account":"account\#(index)yyyyyy","name":"\#(name)","role":"full","state":"away"}"#
            )
        }
        #expect(Set(CompletedValue.names(of: [], and: peers)) == ["one", "device1x", "device2x"])
        let accounts = CompletedValue.accounts(zones: [try zone("z", "n", "c", owner: "account1yyyyyy")], peers: peers)
        #expect(Set(accounts) == ["account0", "account1", "account2"])
        let named: [NamedAccount] = try ["Bob", "Carol", "Carol", "a b"].enumerated().map { index, name in
            try read(#"{"account":"account\#(index)yyyyyy","account_name":"\#(name)","this":false}"#)
        }
        // A name that a shell would take apart is not offered.
        #expect(
            Set(CompletedValue.accounts(zones: [], peers: [], named: named)) == [
                "Bob", "account1", "account2", "account3",
            ]
        )
    }

    @Test func `are asked on the socket that the command line names`() {
        #expect(CompletedValue.socket(in: ["kairan", "--socket", "/s", "get"]) == "/s")
        #expect(CompletedValue.socket(in: ["kairan", "get", "--socket=/s"]) == "/s")
        #expect(CompletedValue.socket(in: ["kairan", "get", "--socket"]) == nil)
    }

    @Test func `are silent where no daemon answers`() async {
        for value in CompletedValue.allCases {
            #expect(await value.values(for: ["kairan", "--socket", "/nonexistent/s"], prefix: "").isEmpty)
        }
    }
}
