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

    @Test(arguments: [
        "kairan", "status", "peers", "metrics",
        "pair", "pair offer", "pair accept", "device", "device ls", "device remove",
        "account", "account show", "account recovery-key", "account replace-words", "account recover",
        "account enrolment-token", "container", "container ls", "container show", "zone", "zone create", "zone ls",
        "zone show", "zone delete",
        "put", "get", "ls", "query", "rm", "batch", "import", "export", "changes", "watch", "pending", "conflicts",
        "resolve",
        "quarantine", "quarantine ls", "quarantine adopt", "quarantine purge",
        "schema", "schema show", "schema set", "schema check", "schema promote",
        "share", "share ls", "share grant", "share revoke", "share transfer", "share public", "share raise-cut",
        "leave", "epoch", "epoch rotate",
        "share invite", "share withdraw", "share approve", "share deny", "block", "block ls", "block add", "unblock",
        "join", "join open", "join ls", "join forget",
        "relay", "relay use", "relay ls", "relay forget", "relay admit", "relay usage", "relay dismiss",
        "send", "message", "message ls", "message show", "message get", "inbox", "inbox ls", "inbox finish",
        "completions",
    ])
    func `of each command is the one that was agreed on`(command: String) throws {
        let words = command == "kairan" ? [] : command.split(separator: " ").map(String.init)
        let help = Self.help(words)
        let file = Self.directory.appending(
            path: (command == "kairan" ? command : "kairan-" + command.replacing(" ", with: "-")) + ".txt"
        )
        if Self.isRecording { try Data(help.utf8).write(to: file) }
        #expect(help == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    @Test func `every command is documented with an example`() {
        let verbs = [
            "status", "peers", "metrics", "put", "get", "ls", "rm", "batch", "import", "export", "changes", "watch",
        ]
        for verb in verbs { #expect(Self.help([verb]).contains("EXAMPLE"), "\(verb)") }
    }

    private static func help(_ words: [String]) -> String {
        do {
            // The parser answers with a command that ends by throwing the help.
            var command = try PeerControl.parseAsRoot(words + ["--help"])
            try command.run()
            return ""
        } catch {
            return PeerControl.fullMessage(for: error, columns: 100) + "\n"
        }
    }
}
