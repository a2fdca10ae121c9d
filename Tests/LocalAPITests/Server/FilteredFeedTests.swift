import Testing

@testable import KairanClient

@Suite(.timeLimit(.minutes(5))) struct `The feed of some records on the socket` {
    @Test func `reports saves, removals and deletions, and the position of an error in a condition`() async throws {
        try await NotesSocket.run { notes in
            func kinds(_ answer: JSONValue) -> [String] {
                (answer["changes"]?.elements ?? []).map { change in
                    "\(change["kind"]?.text ?? "?") \(change["record"]?["name"]?.text ?? "?")"
                }
            }
            try await notes.put("a", #"{"type":"Task","fields":{"n":1}}"#)
            try await notes.put("b", #"{"type":"Task","fields":{"n":7}}"#)
            try await notes.put("c", #"{"type":"Memo","fields":{"n":7}}"#)
            let filter: [(name: String, value: String?)] = [("type", "Task"), ("where", "n >= 5")]
            let first = try await notes.ask(.get, ["changes"], query: filter)
            #expect(kinds(first) == ["save b"] && first["more"] == false)
            try await notes.put("a", #"{"fields":{"n":5}}"#)
            try await notes.put("b", #"{"fields":{"n":4}}"#)
            let token = first["token"]?.text
            let second = try await notes.ask(.get, ["changes"], query: filter + [("since", token)])
            #expect(kinds(second) == ["save a", "out b"])
            let out = second["changes"]?.elements?.last
            #expect(out?["record"]?["fields"] == .object([]) && out?["record"]?["deleted"] == false)
            // The meaning of the condition counts, not its spelling.
            let spelt: [(name: String, value: String?)] = [
                ("type", "Task"), ("where", "(n>=5)"), ("since", second["token"]?.text),
            ]
            #expect(kinds(try await notes.ask(.get, ["changes"], query: spelt)).isEmpty)
            for other: [(name: String, value: String?)] in [
                [("type", "Task"), ("where", "n >= 4")], [("type", "Task")], [],
            ] {
                let answer = try await notes.ask(.get, ["changes"], query: other + [("since", token)])
                #expect(answer["code"] == "token.expired")
            }
            for verb in ["changes", "events"] {
                let answer = try await notes.ask(.get, [verb], query: [("type", "Task"), ("where", "n >= and")])
                #expect(answer["code"] == "query.bad_predicate" && answer["position"] == 5, "\(answer)")
            }
            let change: Change = try DaemonClient.decode(try #require(out).encoded)
            #expect(change.kind == .out)
        }
    }
}
