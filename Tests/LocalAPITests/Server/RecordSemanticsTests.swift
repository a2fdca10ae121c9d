import KairanClient
import Testing

@testable import LocalAPI

@Suite(.timeLimit(.minutes(5))) struct `Records over the socket, as a real node keeps them` {
    @Test func `many are fetched in the requested order, each with its record or its problem`() async throws {
        try await NotesSocket.run { notes in
            try await notes.put("a", #"{"type":"Note","fields":{"x":1,"y":2,"a,b":3}}"#)
            try await notes.put("fetch", #"{"fields":{"x":5}}"#)
            try await notes.put("gone", "{}")
            let deletion = try await notes.ask(.delete, ["records", "gone"])
            let answer = try await notes.ask(
                .post,
                ["fetch"],
                #"{"names":["fetch","none","a","gone","a"],"desired_keys":["x","a,b","z"]}"#
            )
            let results = try #require(answer["results"]?.elements)
            #expect(results.map { $0["code"]?.text } == [nil, "record.unknown", nil, "record.deleted", nil])
            #expect(
                results.map { $0["fields"]?.encodedText } == [
                    #"{"x":5}"#, nil, #"{"a,b":3,"x":1}"#, nil, #"{"a,b":3,"x":1}"#,
                ]
            )
            #expect(results[2]["type"] == "Note" && results[2]["version"]?.text?.count == 32)
            #expect(
                results[3]["deleted_by"] == deletion["modified_by"]
                    && results[3]["deleted_at"] == deletion["modified_at"]
            )
            // A record of that name is a record like any other.
            #expect(try await notes.get("fetch")["fields"] == ["x": 5])
            #expect(try await notes.ask(.delete, ["records", "fetch"])["deleted"] == true)
            #expect(try await notes.ask(.post, ["fetch"], #"{"names":[]}"#)["field"] == "names")
            #expect(try await notes.ask(.post, ["fetch"], "{}")["field"] == "names")
            let names = "[" + String(repeating: "\"a\",", count: 1_000) + "\"a\"]"
            #expect(try await notes.ask(.post, ["fetch"], "{\"names\":\(names)}")["field"] == "names")
            // The library makes as many requests as it needs.
            let many = try await notes.client.fetch(Array(repeating: "a", count: 1_500), in: "notes", keys: [])
            #expect(many.count == 1_500)
        }
    }

    @Test func `only the wanted fields are sent wherever records are read`() async throws {
        try await NotesSocket.run { notes in
            try await notes.put("a", #"{"fields":{"x":1,"y":2,"z":3}}"#)
            let query: [(name: String, value: String?)] = [("desired_keys", "z,x,none")]
            #expect(try await notes.get("a", query: query)["fields"] == ["x": 1, "z": 3])
            #expect(try await notes.get("a", query: [("desired_keys", "")])["fields"] == .object([]))
            let page = try await notes.ask(.get, ["records"], query: query)
            #expect(page["records"]?.elements?.first?["fields"] == ["x": 1, "z": 3])
            let changes = try await notes.ask(.get, ["changes"], query: query)
            #expect(changes["changes"]?.elements?.first?["record"]?["fields"] == ["x": 1, "z": 3])
        }
    }

    @Test func `a stale version is answered with all that a merge needs`() async throws {
        try await NotesSocket.run { notes in
            let old = try #require(try await notes.put("n", #"{"type":"T","fields":{"a":1,"b":1}}"#)["version"]?.text)
            let new = try await notes.put("n", #"{"fields":{"b":2}}"#)
            let body = #"{"fields":{"a":5},"if_version":"\#(old)"}"#
            let refused = try await notes.put("n", body)
            #expect(refused["code"] == "record.version_mismatch" && refused["current_version"] == new["version"])
            #expect(refused["current"] == new)
            #expect(refused["ancestor"]?["fields"] == ["a": 1, "b": 1])
            #expect(refused["ancestor"]?["version"] == .string(old) && refused["ancestor"]?["type"] == "T")
            #expect(refused["sent"]?.encodedText == body)
            // The library passes both on.
            let error = await #expect(throws: KairanError.self) {
                try await notes.client.save(RecordWrite("n", fields: ["a": 5], ifVersion: old), in: "notes")
            }
            #expect(error?.problem.current?.fields == ["a": 1, "b": 2])
            #expect(error?.problem.ancestor?.fields == ["a": 1, "b": 1])
            let exists = try await notes.put("n", #"{"if_version":""}"#)
            #expect(exists["current"]?["fields"] == ["a": 1, "b": 2] && exists["ancestor"] == .null)
            // A version that no device has: its record is not held.
            let unknown = try await notes.put("n", #"{"if_version":"00000000000000000000000000000000"}"#)
            #expect(unknown["code"] == "record.version_mismatch" && unknown["ancestor"] == .null)
            _ = try await notes.ask(.delete, ["records", "n"])
            let late = try await notes.put("n", body)
            #expect(late["code"] == "record.version_mismatch" && late["current"] == .null)
            #expect(late["ancestor"]?["fields"] == ["a": 1, "b": 1])
            #expect(try await notes.ask(.delete, ["records", "n"])["code"] == "record.deleted")
        }
    }

    @Test func `a refused batch names the refused write and those that failed with it`() async throws {
        try await NotesSocket.run { notes in
            let writes = #""writes":[{"name":"a"},{"name":"b","delete":true},{"name":"c","if_version":"x"}]"#
            let refused = try await notes.ask(.post, ["batch"], "{\(writes)}")
            #expect(refused["code"] == "invalid_argument")
            let batch = #""writes":[{"name":"a"},{"name":"b","delete":true},{"name":"c"}]"#
            let atomic = try await notes.ask(.post, ["batch"], "{\(batch)}")
            #expect(atomic["code"] == "record.unknown" && atomic["index"] == 1)
            #expect(
                atomic["results"]?.elements?.map { $0["code"] } == ["batch.refused", "record.unknown", "batch.refused"]
            )
            #expect(atomic["results"]?.elements?.map { $0["name"] } == ["a", "b", "c"])
            #expect(try await notes.ask(.get, ["records"])["records"]?.elements?.isEmpty == true)
            let each = try await notes.ask(.post, ["batch"], "{\"atomic\":false,\(batch)}")
            #expect(each["saved"] == 2 && each["failed"] == 1)
            #expect(each["results"]?.elements?.map { $0["code"]?.text } == [nil, "record.unknown", nil])
            let stale = #"{"atomic":false,"writes":[{"name":"a","fields":{"x":1},"if_version":""}]}"#
            let result = try #require(try await notes.ask(.post, ["batch"], stale)["results"]?.elements?.first)
            #expect(result["current"]?["name"] == "a" && result["sent"]?["fields"] == ["x": 1])
        }
    }

    @Test func `counters add up and sets take elements, without the sum or the rest being known`() async throws {
        try await NotesSocket.run { notes in
            try await notes.put("n", #"{"increment":{"read":2},"add_to":{"tags":["a","b"]}}"#)
            try await notes.put(
                "n",
                #"{"increment":{"read":-5},"add_to":{"tags":["c"]},"remove_from":{"tags":["a","z"]}}"#
            )
            let record = try await notes.get("n")
            #expect(record["fields"]?["read"] == ["$counter": -3])
            #expect(Set(record["fields"]?["tags"]?["$set"]?.elements ?? []) == ["b", "c"])
            for (body, field) in [
                (#"{"increment":{"read":1.5}}"#, "increment.read"), (#"{"increment":5}"#, "increment"),
                (#"{"add_to":{"tags":"a"}}"#, "add_to.tags.$set"),
                (#"{"add_to":{"tags":[[1]]}}"#, "add_to.tags.$set[0]"),
                (#"{"increment":{"":1}}"#, "increment."), (#"{"parent":""}"#, "parent"), (#"{"parent":5}"#, "parent"),
            ] {
                let refused = try await notes.put("n", body)
                #expect(refused["code"] == "invalid_argument" && refused["field"] == .string(field), "\(body)")
            }
            // A text is not a counter, and a request changes a field in one way only.
            try await notes.put("n", #"{"fields":{"text":"x"}}"#)
            #expect(try await notes.put("n", #"{"increment":{"text":1}}"#)["code"] == "invalid_argument")
            let twice = try await notes.put("n", #"{"fields":{"read":{"$counter":1}},"increment":{"read":1}}"#)
            #expect(twice["code"] == "invalid_argument")
            #expect(try await notes.get("n")["version"] != record["version"])
            // The full range of 64 bits is exact in both ways.
            try await notes.put("big", #"{"increment":{"c":{"$int64":"9007199254740993"}}}"#)
            let big: JSONValue = ["$counter": ["$int64": "9007199254740993"]]
            #expect(try await notes.get("big")["fields"]?["c"] == big)
            try await notes.put("same", "{\"fields\":{\"c\":\(big.encodedText)}}")
            #expect(try await notes.get("same")["fields"]?["c"] == big)
        }
    }

    @Test func `a deletion also deletes the records anchored to its record, here and for watchers`() async throws {
        try await NotesSocket.run { notes in
            let anchor = #"{"$reference":{"record":"chat","action":"delete_self"}}"#
            try await notes.put("chat", "{}")
            #expect(
                try await notes.put("m1", "{\"fields\":{\"chat\":\(anchor)}}")["fields"]?["chat"]?.encodedText == anchor
            )
            try await notes.put("m2", #"{"fields":{"chat":{"$reference":{"record":"chat","action":"none"}}}}"#)
            try await notes.put("m3", #"{"parent":"chat"}"#)
            #expect(try await notes.get("m2")["fields"]?["chat"] == ["$reference": ["record": "chat"]])
            #expect(try await notes.client.record("m1", in: "notes").fields["chat"] == .anchor(record: "chat"))
            let token = try await notes.ask(.get, ["changes"])["token"]?.text
            #expect(try await notes.ask(.delete, ["records", "chat"])["deleted"] == true)
            #expect(try await notes.get("m1")["code"] == "record.deleted")
            let changes = try await notes.ask(.get, ["changes"], query: [("since", token)])["changes"]?.elements
            #expect(changes?.map { $0["record"]?["name"] } == ["chat", "m1"])
            let left = try await notes.ask(.get, ["records"])["records"]?.elements
            #expect(left?.map { $0["name"] } == ["m2", "m3"])
            for (value, field) in [
                (#"{"$reference":{"record":"x","action":"deny"}}"#, "f.$reference.action"),
                ("[\(anchor)]", "f[0].$reference.action"), ("{\"$set\":[\(anchor)]}", "f.$set[0].$reference.action"),
            ] {
                let refused = try await notes.put("n", "{\"fields\":{\"f\":\(value)}}")
                #expect(refused["field"] == .string("fields." + field), "\(value)")
            }
        }
    }

    @Test func `a parent is set, kept, and removed`() async throws {
        try await NotesSocket.run { notes in
            #expect(try await notes.put("n", #"{"parent":"list"}"#)["parent"] == "list")
            #expect(try await notes.put("n", #"{"fields":{"x":1}}"#)["parent"] == "list")
            #expect(try await notes.get("n")["parent"] == "list")
            #expect(try await notes.put("n", #"{"parent":null}"#)["parent"] == .null)
            var write = RecordWrite("n")
            write.parent = .set("other")
            #expect(try await notes.client.save(write, in: "notes").parent == "other")
            var lines: [String] = []
            for try await line in try await notes.client.exportLines(zone: "notes") {
                lines.append(String(decoding: line, as: UTF8.self))
            }
            #expect(lines.first?.contains(#""parent":"other""#) == true)
        }
    }

    @Test func `a write that replaces removes unnamed fields, another one keeps them`() async throws {
        try await NotesSocket.run { notes in
            try await notes.put("n", #"{"fields":{"a":1,"b":2}}"#)
            #expect(try await notes.put("n", #"{"fields":{"a":3}}"#)["fields"] == ["a": 3, "b": 2])
            #expect(try await notes.put("n", #"{"fields":{"a":4},"replace":true}"#)["fields"] == ["a": 4])
            #expect(try await notes.put("n", #"{"remove":["a"]}"#)["fields"] == .object([]))
        }
    }

    @Test(arguments: [
        "\u{0}", "a\u{1F}", "a\u{7F}b", "\u{85}", "a\u{200E}", "\u{202E}txt", "\u{2066}a", "a\u{2028}b", "",
    ])
    func `a name that people cannot see is refused`(name: String) async throws {
        try await NotesSocket.run { notes in
            let text = JSONValue.string(name).encodedText
            for body in [
                "{\"writes\":[{\"name\":\(text)}]}", "{\"writes\":[{\"name\":\"n\",\"type\":\(text)}]}",
                "{\"writes\":[{\"name\":\"n\",\"fields\":{\(text):1}}]}",
                "{\"writes\":[{\"name\":\"n\",\"parent\":\(text)}]}",
            ] {
                let refused = try await notes.ask(.post, ["batch"], body)
                #expect(refused["code"] == "invalid_argument", "\(body)")
            }
            #expect(try await notes.ask(.get, ["records"])["records"]?.elements?.isEmpty == true)
        }
    }

    @Test func `names that look alike are two names, and none is changed`() async throws {
        try await NotesSocket.run { notes in
            try await notes.put("\u{E9}", #"{"fields":{"x":1}}"#)
            try await notes.put("e\u{301}", #"{"fields":{"x":2}}"#)
            #expect(try await notes.get("\u{E9}")["fields"] == ["x": 1])
            let names = try await notes.ask(.get, ["records"])["records"]?.elements?.compactMap { $0["name"]?.text }
            #expect(names?.map { Array($0.utf8) } == [Array("e\u{301}".utf8), Array("\u{E9}".utf8)])
        }
    }
}
