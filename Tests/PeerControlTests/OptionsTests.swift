import ArgumentParser
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Options and the socket` {
    @Test(arguments: [
        (["--json", "status"], ["status", "--json"]),
        (["pair", "--json", "offer"], ["pair", "offer", "--json"]),
        (["--socket", "/s", "put", "z", "n", "a=b"], ["put", "z", "n", "a=b", "--socket", "/s"]),
        (["--socket=/s", "ls", "z"], ["ls", "z", "--socket=/s"]),
        (["put", "--json", "z", "n", "--", "--json"], ["put", "z", "n", "--json", "--", "--json"]),
        (["status", "--socket"], ["status", "--socket"]),
        (["---completion", "--json"], ["---completion", "--json"]),
        ([], []),
    ])
    func `global options may stand anywhere`(arguments: [String], expected: [String]) {
        #expect(GlobalOptions.reordered(arguments) == expected)
    }

    @Test(arguments: [["--sort", "-@modified_at"], ["--sort=-@modified_at"]])
    func `a field to sort by may begin with a minus`(option: [String]) async throws {
        let arguments = ["query", "notes", "--type", "Note"] + option + ["--sort", "title", "--limit", "3"]
        let command = try await PeerControl.asyncParseAsRoot(GlobalOptions.reordered(arguments)) as? QueryCommand
        #expect(command?.sort == ["-@modified_at", "title"] && command?.limit == 3)
    }

    @Test func `both places are understood`() async throws {
        for arguments in [["--json", "--socket", "/s", "status"], ["status", "--json", "--socket", "/s"]] {
            let command = try await PeerControl.asyncParseAsRoot(GlobalOptions.reordered(arguments)) as? Status
            #expect(command?.global.json == true && command?.global.socket == "/s")
        }
    }

    @Test func `the socket is chosen in order`() {
        let all = ["KAIRAN_SOCKET": "/e", "XDG_RUNTIME_DIR": "/run/user/7"]
        let user = ["XDG_RUNTIME_DIR": "/run/user/7"]
        func choose(_ option: String?, _ environment: [String: String], _ isThere: Bool) -> String {
            SocketPath.choose(option: option, environment: environment) { isThere && $0 == SocketPath.system }
        }
        #expect(choose("/o", all, true) == "/o")
        #expect(choose(nil, all, true) == "/e")
        #expect(choose(nil, user, true) == "/run/kairan/kairand.sock")
        #expect(choose(nil, user, false) == "/run/user/7/kairan/kairand.sock")
        let home = ["KAIRAN_SOCKET": "", "HOME": "/home/a"]
        #expect(choose(nil, home, false) == "/home/a/.local/state/kairan/kairan/kairand.sock")
        #expect(choose(nil, home, true) == "/run/kairan/kairand.sock")
        let state = ["HOME": "/home/a", "XDG_STATE_HOME": "/state"]
        #expect(choose(nil, state, false) == "/state/kairan/kairan/kairand.sock")
        #expect(choose(nil, [:], false) == "/root/.local/state/kairan/kairan/kairand.sock")
    }
}
