import FoundationEssentials
import KairanClient
import Testing

@testable import LocalAPI

/// The program of the tutorial, as a person runs it.
@Suite struct `The program of the tutorial` {
    private static func withProgram(
        _ body: @escaping @Sendable (_ run: ControlProgram, _ socket: NotesSocket) async throws -> Void
    ) async throws {
        let folder = try #require(Subprocess.products)
        // Under its product's name where all examples are built here, and else under that of its target.
        let names = ["Notes", "kairan-notes"]
        let path = try #require(
            names.map { folder + "/" + $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }
        )
        try await NotesSocket.run { socket in
            try await body(ControlProgram(path: path, socket: socket.path), socket)
        }
    }

    /// The program with the socket that it asks.
    private struct ControlProgram: Sendable {
        var path: String
        var socket: String

        func callAsFunction(_ arguments: String...) async throws -> Subprocess.Result {
            try await Subprocess.run([path] + arguments, environment: ["KAIRAN_SOCKET": socket])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `reports a refusal in one line, and ends with 1`() async throws {
        try await Self.withProgram { notes, _ in
            let result = try await notes("done", "milk")
            #expect(result.status == 1 && result.output.isEmpty)
            #expect(result.error.hasPrefix("kairan-notes: record.unknown: "), "\(result.error)")
            #expect(result.error.hasSuffix("\n") && result.error.count { $0 == "\n" } == 1, "\(result.error)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `reports a missing daemon in one line, with the remedy`() async throws {
        try await Self.withProgram { notes, socket in
            var alone = notes
            alone.socket = socket.path + "-of-nobody"
            let result = try await alone("add", "Milk")
            #expect(result.status == 1 && result.output.isEmpty)
            #expect(result.error.hasPrefix("kairan-notes: daemon.unreachable: "), "\(result.error)")
            #expect(result.error.contains("Check that kairand runs") && result.error.count { $0 == "\n" } == 1)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `keeps its notes beside those of the README`() async throws {
        try await Self.withProgram { notes, socket in
            try await socket.put("groceries", #"{"type":"Record","fields":{"text":"milk, tea"}}"#)
            let added = try await notes("add", "Milk")
            #expect(added.status == 0 && added.output.hasSuffix(": Milk\n"), "\(added.error)")
            let listed = try await notes("list")
            #expect(listed.status == 0 && listed.output == "  " + added.output, "\(listed.error)")
            // Two zones of one name could not be told apart by it.
            let zones = try await socket.client.zones().map { "\($0.container)/\($0.name)" }
            #expect(zones.sorted() == ["org.example.notebook/notebook", "org.example.notes/notes"])
        }
    }
}
