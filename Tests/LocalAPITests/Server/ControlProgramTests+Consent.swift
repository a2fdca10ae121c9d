import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

/// Commands that cannot be undone.
extension `The program kairan` {
    /// The verbs that ask for consent, the name that each wants to be typed, their texts, and the calls that they
    /// make.
    private static let verbs: [(line: String, name: String, effect: String, call: String)] = [
        ("zone delete notes", "notes", "Deletes notes of org.example: 0 records on 2 machines.", "deleteZone"),
        (
            "share transfer notes \(FakeNode.participant.account.shortText)", "notes",
            "Offers notes of org.example to Bob, \(FakeNode.participant.account.shortText)", "transfer"
        ),
        ("share accept notes", "notes", ": 0 records (300 B) on 2 machines; ", "accept the transfer"),
        ("leave notes", "notes", "on 2 machines", "leave"),
        (
            "share raise-cut notes someone1", "notes",
            "Makes all writes of someone1 in notes under ended rights effective", "raise"
        ),
        ("device remove lap", "lap", "which has 1 device. It has 0 records of 1 zone, as far as", "removeDevice"),
        (
            "schema promote org.example", "org.example",
            "2 machines as far as is known here: 2 changes, of which 1 cannot be made; 1 zone", "promote"
        ),
        ("quarantine purge 17", "n1", "Drops the write to n1 (note, 420 B)", "purge"),
        ("relay dismiss Ada", "Ada", "Deletes the ", "dismiss"),
    ]

    @Test(.timeLimit(.minutes(5))) func `does nothing irreversible if no person can be asked`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            for (line, _, effect, call) in Self.verbs {
                let words = Self.words(line)
                let plain = try await Subprocess.run([kairan.path] + words, environment: kairan.environment)
                #expect(plain.status == 64 && plain.output.isEmpty, "\(line): \(plain)")
                #expect(plain.error.contains(effect) && plain.error.contains("Add --yes"), "\(line): \(plain)")
                let json = try await Subprocess.run([kairan.path, "--json"] + words, environment: kairan.environment)
                let problem = try JSONParser.parse(Array(json.error.utf8))
                #expect(json.status == 64 && problem["code"] == "confirmation.needed", "\(line): \(json)")
                #expect(!node.state.withLock { $0.calls.contains { $0.hasPrefix(call) } }, "\(line)")
                let agreed = try await Subprocess.run(
                    [kairan.path] + words + ["--yes"],
                    environment: kairan.environment
                )
                #expect(agreed.status == 0 && agreed.error.isEmpty, "\(line): \(agreed)")
                #expect(node.state.withLock { $0.calls.last?.hasPrefix(call) } == true, "\(line)")
            }
            for words in [["replace-words"], ["recover", "--remove-others"], ["recover", "--remove", "lap"]] {
                let calls = node.state.withLock { $0.calls.count { !$0.hasPrefix("account") } }
                let line = [kairan.path, "account"] + words
                let refused = try await Subprocess.run(line, input: "one two", environment: kairan.environment)
                #expect(refused.status == 64 && refused.error.contains("Add --yes"), "\(refused)")
                #expect(node.state.withLock { $0.calls.count { !$0.hasPrefix("account") } } == calls)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `asks a person at a terminal for the name, and accepts nothing else as confirmation`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            for (line, name, effect, call) in Self.verbs {
                for (answer, isMeant) in [("yes", false), (name, true)] {
                    let count = node.state.withLock { $0.calls.count { $0.hasPrefix(call) } }
                    let program = try Subprocess(
                        [kairan.path] + Self.words(line),
                        environment: kairan.environment,
                        isAtTerminal: true
                    )
                    program.write(answer + "\n")
                    let result = await program.finish()
                    #expect(result.status == (isMeant ? 0 : 1), "\(line), \(answer): \(result)")
                    #expect(
                        result.error.contains(effect) && result.error.contains("Type \(name) to do it"),
                        "\(result)"
                    )
                    #expect(isMeant || result.error.contains("so it was not done"), "\(result)")
                    let made = node.state.withLock { $0.calls.count { $0.hasPrefix(call) } } - count
                    #expect(made == (isMeant ? 1 : 0), "\(line), \(answer)")
                }
            }
            let json = try Subprocess(
                [kairan.path, "--json", "zone", "delete", "notes"],
                environment: kairan.environment,
                isAtTerminal: true
            )
            #expect(await json.finish().status == 64)
        }
    }

    private static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
}
