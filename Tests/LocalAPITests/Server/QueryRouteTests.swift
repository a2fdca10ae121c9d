import HTTPTypes
import KairanClient
import Node
import Queries
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `Queries over the socket` {
    @Test func `reach the node as they were meant`() async throws {
        let node = FakeNode()
        let body = #"""
            {"type":"Note","where":"due < date(\"2026-01-01T00:00:00Z\") and key = bytes(\"AP8=\")",
             "sort":["-@modified_at","title"],"limit":7,"cursor":"c0","desired_keys":["title"]}
            """#
        let answer = try await node.ask(.post, "/v1/zones/notes/query", body)
        #expect(
            answer.status == 200 && answer.json["cursor"] == "c1" && answer.json["records"]?.elements?.isEmpty == true
        )
        #expect(
            node.calls == [
                #"query notes Note where:due < date("2026-01-01T00:00:00.000Z") and key = bytes("AP8=") "#
                    + #"sort:["-@modified_at", "title"] limit:7 cursor:c0 title:true"#
            ]
        )
    }

    @Test(
        arguments: [
            (#"{"where":"a = 1"}"#, "invalid_argument", "type", nil),
            (#"{"type":"Note","where":"a = "}"#, "query.bad_predicate", "where", "4"),
            (#"{"type":"Note","where":"`ä` ~ 1"}"#, "query.bad_predicate", "where", "5"),
            (#"{"type":"Note","where":5}"#, "invalid_argument", "where", nil),
            (#"{"type":"Note","sort":["-"]}"#, "invalid_argument", "sort[0]", nil),
            (#"{"type":"Note","sort":["@nothing"]}"#, "invalid_argument", "sort[0]", nil),
            (#"{"type":"Note","limit":0}"#, "invalid_argument", "limit", nil),
            (#"{"type":"Note","limit":1001}"#, "invalid_argument", "limit", nil),
            (#"{"type":"Note","wher":""}"#, "invalid_argument", "wher", nil),
        ] as [(String, String, String, String?)]
    )
    func `that are wrong are refused with the place`(
        body: String,
        code: String,
        field: String,
        position: String?
    )
        async throws
    {
        let node = FakeNode()
        let answer = try await node.ask(.post, "/v1/zones/notes/query", body)
        #expect(answer.status == 400 && answer.json["code"] == .string(code))
        #expect(answer.json["field"] == .string(field))
        #expect(answer.json["position"]?.integer.map { "\($0)" } == position)
        #expect(node.calls.isEmpty)
    }

    @Test func `have indexes, set and shown as a list`() async throws {
        let node = FakeNode()
        let path = "/v1/containers/org.example/indexes"
        let shown = try await node.ask(.get, path)
        let title: JSONValue = [
            "type": "Note", "field": "title", "kind": "text", "state": "ready", "declared": false,
        ]
        #expect(shown.json.elements?.first == title)
        let body = #"""
            {"indexes":[{"type":"Note","field":"@modified_at"},
             {"type":"Note","field":"text","kind":"text","state":"ready"}]}
            """#
        let set = try await node.ask(.put, path, body)
        #expect(set.status == 200 && set.json.elements?.map { $0["state"] } == ["building", "building"])
        #expect(
            node.calls == [
                "fieldIndexes org.example",
                #"setFieldIndexes org.example ["Note.@modified_at value", "Note.text text"]"#,
            ]
        )
        for bad in [
            "{}", "[]", #"{"indexes":[{"type":"Note"}]}"#, #"{"indexes":[{"type":"Note","field":"a","kind":"b"}]}"#,
        ] {
            #expect(try await node.ask(.put, path, bad).json["code"] == "invalid_argument", "\(bad)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `are answered page by page by a real node, with an index and without`()
        async throws
    {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                let zone = try await node.zones.createZone(name: "notes", container: "org.example", history: .full).zone
                    .text
                let writes = (0..<30).map { number in
                    RecordDraft(
                        name: "n\(number)",
                        type: number % 3 == 0 ? "Task" : "Note",
                        fields: [("rank", .int64(Int64(number % 7))), ("text", .string("word\(number % 2) all"))]
                    )
                }
                _ = try await node.records.write(writes, zone: zone, atomic: true)
                let ask = { (predicate: String, cursor: String?) async throws in
                    try await node.records.query(
                        zone: zone,
                        QueryRequest(
                            query: Query(
                                type: "Note",
                                predicate: try Queries.Predicate(interfaceText: predicate),
                                sort: [SortField(.named("rank"), isAscending: false)]
                            ),
                            cursor: cursor,
                            limit: 4,
                            desiredKeys: DesiredKeys(["rank"])
                        )
                    )
                }
                func all(_ predicate: String) async throws -> [String] {
                    var names: [String] = []
                    var cursor: String?
                    repeat {
                        let page = try await ask(predicate, cursor)
                        #expect(page.records.allSatisfy { $0.fields.map(\.name) == ["rank"] })
                        names += page.records.map(\.name)
                        cursor = page.cursor
                    } while cursor != nil
                    return names
                }
                let expected = (0..<30).filter { $0 % 3 != 0 && $0 % 7 >= 2 }.map { (rank: $0 % 7, name: "n\($0)") }
                    .sorted { ($0.rank, $0.name) > ($1.rank, $1.name) }.map(\.name)
                #expect(try await all("rank >= 2") == expected)
                await #expect(throws: NodeError.self) { try await all("text matches 'word1'") }
                let indexes = [
                    FieldIndex(type: "Note", field: .named("rank"), kind: .value),
                    FieldIndex(type: "Note", field: .named("text"), kind: .text),
                ]
                _ = try await node.indexes.setFieldIndexes(indexes, container: "org.example")
                while try await !node.indexes.fieldIndexes(container: "org.example").allSatisfy(\.isReady) {
                    await Task.yield()
                }
                #expect(try await all("rank >= 2") == expected)
                #expect(try await all("text matches 'WORD1'").count == 10)
                let first = try await ask("rank >= 2", nil)
                let error = await #expect(throws: NodeError.self) { try await ask("rank >= 3", first.cursor) }
                #expect(error?.code == .queryBadCursor)
            }
        }
    }
}
