import Testing

@testable import PeerDaemon

@Suite struct `A configuration that is not YAML` {
    @Test(arguments: [
        ("listen: [\"0.0.0.0:1\"\nlog-level: info\n", "/x.yaml:2: column 1: not valid YAML: "),
        ("log-level: \"info\n", "/x.yaml:2: column 1: not valid YAML: "),
        ("log-level: info\n\tstate: /s\n", "/x.yaml:2: column 1: not valid YAML: "),
        (
            "log-level: info\nlog-level: debug\n",
            "/x.yaml:1: column 1: a key may occur only once in the mapping that begins here: \"log-level\""
        ),
        ("log-level: in\u{1}fo\n", "/x.yaml:1: column 14: not valid YAML: "),
    ])
    func `is refused in one sentence with file, line, column and the problem`(text: String, beginning: String) {
        let refusal = #expect(throws: DaemonConfiguration.Refusal.self) {
            _ = try ConfigurationFile(path: "/x.yaml", text: text)
        }
        let words = refusal?.description ?? ""
        #expect(words.hasPrefix(beginning), "\(words)")
        #expect(!words.contains("\n") && !words.contains("^") && !words.contains("error:"), "\(words)")
        #expect(words.count > beginning.count || beginning.hasSuffix("\""), "it says the problem: \(words)")
    }
}
