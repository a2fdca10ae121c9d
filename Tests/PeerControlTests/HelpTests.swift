import ArgumentParser
import FoundationEssentials
import Testing

@testable import PeerControl

/// `KAIRAN_RECORD=1 swift test --filter PeerControlTests` writes the snapshots anew.
@Suite struct `The help` {
    private static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/cli")
    private static let isRecording = ProcessInfo.processInfo.environment["KAIRAN_RECORD"] == "1"

    /// All commands, each by its words.
    private static let commands: [String] = {
        func below(_ command: any ParsableCommand.Type, _ words: [String]) -> [String] {
            return [words.joined(separator: " ")]
                + command.configuration.subcommands.flatMap { below($0, words + [$0._commandName]) }
        }
        return ["kairan"] + below(PeerControl.self, []).dropFirst()
    }()

    private static func file(_ command: String) -> URL {
        let name = command == "kairan" ? command : "kairan-" + command.replacing(" ", with: "-")
        return directory.appending(path: name + ".txt")
    }

    @Test func `has a file for each command, and no others`() throws {
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: Self.directory.path))
        #expect(Self.isRecording || names == Set(Self.commands.map { Self.file($0).lastPathComponent }))
    }

    @Test(arguments: commands)
    func `of each command is the one that was agreed on`(command: String) async throws {
        let words = command == "kairan" ? [] : command.split(separator: " ").map(String.init)
        let help = await Self.help(words)
        let file = Self.file(command)
        if Self.isRecording { try Data(help.utf8).write(to: file) }
        #expect(help == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    @Test func `every command is documented with an example`() async {
        let leaves = Self.commands.filter { command in
            command != "kairan" && !Self.commands.contains { $0.hasPrefix(command + " ") }
        }
        #expect(leaves.count > 60)
        for command in leaves {
            let help = await Self.help(command.split(separator: " ").map(String.init))
            #expect(help.contains("EXAMPLE"), "\(command)")
        }
    }

    @Test func `each argument that names a thing with an id says that the beginning of the id will do`() async {
        let things = [
            "zone", "account", "device", "peer", "message", "asset", "invite", "relay", "admission", "request", "id",
        ]
        var count = 0
        for command in Self.commands where command != "kairan" {
            let help = await Self.help(command.split(separator: " ").map(String.init), columns: 1_000)
            for line in help.split(separator: "\n") where things.contains(where: { line.hasPrefix("  <\($0)>") }) {
                count += 1
                #expect(line.contains("beginning") || line.contains("first eight characters"), "\(command): \(line)")
            }
        }
        #expect(count > 50)
    }

    private static func help(_ words: [String], columns: Int = 100) async -> String {
        do {
            // The parser answers with a command that ends by throwing the help.
            var command = try await PeerControl.asyncParseAsRoot(words + ["--help"])
            try command.run()
            return ""
        } catch {
            return PeerControl.fullMessage(for: error, columns: columns) + "\n"
        }
    }
}
