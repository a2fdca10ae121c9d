import ArgumentParser
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `A typed id` {
    private let choice = ChosenID(noun: "invitation", list: "kairan share ls notes")

    @Test func `denotes the only id with this beginning, or the complete id`() throws {
        #expect(try choice.choose("ab", among: ["abc", "bcd"]) { $0 } == "abc")
        #expect(try choice.choose("abc", among: ["abc", "abcd"]) { $0 } == "abc")
    }

    @Test func `is not a usage error when it is unknown, and the message names the list`() {
        for (text, detail) in [
            ("x", "No invitation has the name x or an id that begins with it."), ("a", "a fits 2 invitations: ab, ac."),
        ] {
            let error = #expect(throws: InputError.self) { try choice.choose(text, among: ["ab", "ac"]) { $0 } }
            #expect(error?.detail == detail && error?.fix.contains("`kairan share ls notes` lists them.") == true)
            #expect(error.map { Failure($0).exitCode } == 1)
        }
        #expect(throws: ValidationError.self) { try choice.choose("", among: ["a"]) { $0 } }
    }
}

@Suite struct `A typed name` {
    private let devices = [
        NamedDevice(device: "abcdefghij", name: "lap"), NamedDevice(device: "abcdefghik", name: "desk"),
        NamedDevice(device: "lapqrstuvw", name: "desk"), NamedDevice(device: "zyxwvutsrq", name: "abcdefghij"),
    ]

    private func chosen(_ text: String) throws -> String {
        try ChosenID.device.choose(text, among: devices, id: \.device, name: \.name).device
    }

    @Test func `of an account is ambiguous if another one looks the same`() throws {
        let accounts = [NamedDevice(device: "aaaa", name: "Bob"), NamedDevice(device: "bbbb", name: " bob")]
        let error = #expect(throws: InputError.self) {
            try ChosenID.account.choose("Bob", among: accounts, id: \.device, name: \.name)
        }
        #expect(error?.code == "id.ambiguous")
        #expect(try ChosenID.account.choose("bOB", among: [accounts[0]], id: \.device, name: \.name).device == "aaaa")
    }

    @Test func `denotes the only object with it, and a complete id before any name`() throws {
        #expect(try chosen("zyx") == "zyxwvutsrq" && chosen("abcdefghik") == "abcdefghik")
        #expect(try chosen("abcdefghij") == "abcdefghij", "though another device is called so")
    }

    @Test func `is ambiguous where it fits several, and the refusal tells them apart`() {
        for (text, matches) in [
            ("desk", "desk (abcdefghik), desk (lapqrstu)"), ("lap", "lap (abcdefghij), desk (lapqrstu)"),
            ("abcdefgh", "lap (abcdefghij), desk (abcdefghik)"),
        ] {
            let error = #expect(throws: InputError.self) { try chosen(text) }
            #expect(error?.detail == "\(text) fits 2 devices: \(matches)." && error?.code == "id.ambiguous")
            #expect(error?.fix == "Give more of the id; `kairan device ls` lists them.")
        }
    }
}

@Suite struct `A socket that may not be used` {
    @Test func `names the group and the command that lets its members in, and retrying does not help`() {
        let problem = SocketRefusal(path: "/run/kairan/kairand.sock", group: "kairan", user: "alice").problem
        #expect(
            problem.detail == "alice may not use /run/kairan/kairand.sock: only members of the group kairan may."
        )
        #expect(problem.fix == "Run `sudo usermod --append --groups kairan alice`, then log in again.")
        #expect(problem.code == "daemon.forbidden" && !problem.isRetryable)
    }

    @Test func `of an owner alone names no group`() {
        let problem = SocketRefusal(path: "/s", group: nil, user: "alice").problem
        #expect(problem.detail == "alice may not use /s." && problem.fix.contains("--socket"))
    }

    @Test func `is not one that is not there`() {
        #expect(SocketRefusal(path: "/nowhere/socket") == nil)
    }
}

@Suite struct `A version that somebody types` {
    private static let version = "4f1c00112233445566778899aabbccdd"

    @Test func `is looked up from eight characters on, and sent as it is when it is whole, too short or empty`() {
        #expect(ChosenVersion.isBeginning("4f1c0011") && ChosenVersion.isBeginning(String(Self.version.dropLast())))
        #expect(["", "4f1c001", Self.version].allSatisfy { !ChosenVersion.isBeginning($0) })
    }

    @Test func `stands for the record's version if that begins so, and is refused like another version if not`() throws
    {
        #expect(try ChosenVersion.whole("4f1c0011", of: "n1", at: Self.version) == Self.version)
        let error = #expect(throws: InputError.self) {
            try ChosenVersion.whole("4f1c0012", of: "n\u{1B}1", at: Self.version)
        }
        #expect(error?.code == "record.version_mismatch")
        #expect(error?.detail == "n�1 has the version 4f1c0011, not 4f1c0012.")
    }
}
