import KairanClient
import Synchronization
import Testing
import Wire

@testable import LocalAPI

/// The names of things in the output, and how much of them is shown.
extension `The program kairan` {
    @Test(.timeLimit(.minutes(5))) func `shows complete ids, and times in UTC, on request`()
        async throws
    {
        try await Self.withProgram { kairan in
            let short = try await kairan("device", "ls").output
            #expect(short.contains(FakeNode.device.text.prefix(8)) && !short.contains(FakeNode.device.text))
            #expect(short.contains("2023-11-14 ") && !short.contains("22:13:20Z"), "\(short)")
            let full = try await kairan("--full", "device", "ls", "--utc").output
            #expect(full.contains(FakeNode.device.text) && full.contains("2023-11-14 22:13:20Z"), "\(full)")
            let blocks = try await kairan("block", "ls").output
            #expect(blocks.split(separator: " ").allSatisfy { $0.utf8.count < 52 }, "\(blocks)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `accepts beginnings of ids from its lists, and names the list to look at`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let relay = try #require(try await kairan.json("relay", "ls").elements?.first)
            let id = try #require(relay["relay"]?.text)
            #expect(try await kairan.json("relay", "forget", id)["relay"] == relay["relay"])
            let blocked = try #require(try await kairan.json("block", "ls").elements?.first?["account"]?.text)
            #expect(try await kairan.json("unblock", String(blocked.prefix(3)))["account"] == .string(blocked))
            #expect(node.calls.last == "unblock \(blocked)")
            for (arguments, list) in [
                (["relay", "forget", "zz"], "kairan relay ls"), (["unblock", "zz"], "kairan block ls"),
                (["device", "remove", "zz"], "kairan device ls"), (["relay", "dismiss", "zz"], "kairan relay usage"),
            ] {
                let calls = node.calls.count
                let result = try await Subprocess.run([kairan.path] + arguments, environment: kairan.environment)
                #expect(result.status == 1 && result.error.contains("`\(list)` lists them."), "\(result)")
                #expect(node.calls.count == calls + 1, "it only looked")
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `shows the peers of a zone by their names`() async throws {
        try await Self.withProgram { kairan in
            let shown = try await kairan("zone", "show", "notes").output
            #expect(shown.contains("\ndesk    "), "\(shown)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `adds an index to existing ones, and drops one of them`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            #expect(try await kairan("index", "ls", "c").output.contains("Note  title  text  ready"))
            #expect(try await kairan.json("index", "add", "c", "Note", "due").elements?.count == 2)
            #expect(
                node.calls.last == #"setFieldIndexes c ["Note.title text", "Note.due value"]"#
            )
            // An index that is requested again is there once.
            #expect(try await kairan.json("index", "add", "c", "Note", "title", "--text").elements?.count == 1)
            #expect(try await kairan.json("index", "rm", "c", "Note", "title", "--text").elements == [])
            let unknown = try await kairan("index", "rm", "c", "Note", "title")
            #expect(unknown.status == 1 && unknown.error.contains("`kairan index ls c` lists them."), "\(unknown)")
        }
    }
}
