import KairanClient
import Node
import Testing
import Wire

@testable import LocalAPI

/// `docs/api/limits.md`, through a real socket into a real node.
@Suite(.timeLimit(.minutes(5))) struct `A request beyond a limit` {
    /// A JSON value that repeats another one.
    private static func list(_ item: String, count: Int) -> String {
        "[" + Array(repeating: item, count: count).joined(separator: ",") + "]"
    }

    private static func fields(_ count: Int) -> String {
        "{" + (0..<count).map { "\"f\($0)\":1" }.joined(separator: ",") + "}"
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func `is refused, and one at the limit is accepted`() async throws {
        try await NotesSocket.run { notes in
            let large = String(repeating: "x", count: 1 << 20)
            let longest = String(repeating: "n", count: 255)
            let elements = (0...16_384).map { "\($0)" }.joined(separator: ",")
            let refused: [(fields: String, code: String, field: String?)] = [
                ("{\"a\":\"\(large)\"}", "record.too_large", nil),
                (Self.fields(1_001), "invalid_argument", "fields"),
                ("{\"\(longest)n\":1}", "invalid_argument", "fields.\(longest)n"),
                ("{\"\":1}", "invalid_argument", "fields."),
                ("{\"a\":\(Self.list("1", count: 65_537))}", "invalid_argument", "fields.a"),
                ("{\"a\":{\"$set\":[\(elements)]}}", "invalid_argument", "fields.a.$set"),
                ("{\"a\":\(Self.nested(9))}", "invalid_argument", "fields.a[0][0][0][0][0][0][0][0]"),
                (#"{"a":{"$int64":"9223372036854775808"}}"#, "invalid_argument", "fields.a.$int64"),
                (#"{"a":{"$date":"2026-01-01T00:00:00.0001Z"}}"#, "invalid_argument", "fields.a.$date"),
                (
                    #"{"a":{"$location":{"latitude":91,"longitude":0}}}"#, "invalid_argument",
                    "fields.a.$location.latitude"
                ),
            ]
            for (fields, code, field) in refused {
                let answer = try await notes.put("n", "{\"fields\":\(fields)}")
                #expect(answer["code"] == .string(code), "\(fields.prefix(60))")
                if let field { #expect(answer["field"] == .string(field), "\(fields.prefix(60))") }
            }
            #expect(try await notes.get("n")["code"] == "record.unknown")
            let taken = [
                "{\"a\":\"\(large.dropLast(600))\"}", Self.fields(1_000), "{\"\(longest)\":1}",
                "{\"a\":\(Self.list("1", count: 65_536))}", "{\"a\":\(Self.nested(8))}",
                #"{"a":{"$int64":"9223372036854775807"},"b":-9223372036854775808}"#,
                #"{"a":"\u0000 and \ud83d\ude00"}"#,
            ]
            for fields in taken {
                let answer = try await notes.put("n", "{\"fields\":\(fields),\"replace\":true}")
                let stored = try await notes.get("n")
                #expect(answer["code"] == nil && stored["version"] == answer["version"], "\(fields.prefix(60))")
                #expect(stored["fields"] == answer["fields"], "\(fields.prefix(60))")
            }
            // The thousand and first field of a record that has a thousand.
            try await notes.put("m", "{\"fields\":\(Self.fields(1_000))}")
            #expect(try await notes.put("m", #"{"fields":{"more":1}}"#)["code"] == "invalid_argument")
            #expect(try await notes.get("m")["fields"]?.members?.count == 1_000)
        }
    }

    @Test func `is refused where the text itself is wrong, with its place`() async throws {
        try await NotesSocket.run { notes in
            for value in [
                "9223372036854775808", "-9223372036854775809", "1e999", "NaN", "Infinity", "01", "\"\\ud800\"",
                "\"\\udc00\\ud800\"", "\"\u{1}\"", "{\"a\":1,\"a\":2}", Self.nested(80),
            ] {
                let answer = try await notes.putRaw("n", "{\"fields\":{\"a\":\(value)}}")
                #expect(answer.hasPrefix("HTTP/1.1 400"), "\(value)")
                #expect(answer.contains("request.malformed_json") && answer.contains("\"column\""), "\(value)")
            }
            #expect(try await notes.get("n")["code"] == "record.unknown")
        }
    }

    @Test func `is refused for requests as a whole`() async throws {
        try await NotesSocket.run { notes in
            let many = Self.list(#"{"name":"a"}"#, count: 1_025)
            let atomic = try await notes.ask(.post, ["batch"], "{\"writes\":\(many)}")
            #expect(atomic["code"] == "batch.too_large" && atomic["limit"] == 1024)
            let each = Self.list(#"{"name":"a"}"#, count: 10_001)
            let answer = try await notes.ask(.post, ["batch"], "{\"atomic\":false,\"writes\":\(each)}")
            #expect(answer["code"] == "batch.too_large" && answer["limit"] == 10_000)
            let mebibyte = String(repeating: "x", count: 1_000_000)
            let large = Self.list("{\"name\":\"a\",\"fields\":{\"a\":\"\(mebibyte)\"}}", count: 13)
            #expect(try await notes.ask(.post, ["batch"], "{\"writes\":\(large)}")["code"] == "batch.too_large")
            let body = "{\"fields\":{\"a\":\"\(String(repeating: "x", count: 2 << 20))\"}}"
            #expect(try await notes.put("a", body)["code"] == "request.too_large")
            let keys = Self.list("\"a\"", count: 1_001)
            let fetch = try await notes.ask(
                .post,
                ["fetch"],
                "{\"names\":[\"a\"],\"desired_keys\":\(keys)}"
            )
            #expect(fetch["field"] == "desired_keys")
            #expect(try await notes.get("a")["code"] == "record.unknown")
        }
    }

    @Test func `equals the document`() throws {
        let document = try Repository.text("docs/api/limits.md")
        func isStated(_ number: Int, _ row: String) -> Bool {
            var digits = String(number)
            var place = digits.count - 3
            while place > 0 {
                digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
                place -= 3
            }
            return document.split(separator: "\n").contains { $0.hasPrefix("| \(row)") && $0.contains(digits) }
        }
        #expect(isStated(Limits.fieldCountMax, "fields of a record"))
        #expect(isStated(Limits.nameByteCountMax, "a name:"))
        #expect(isStated(Limits.listItemCountMax, "items of a list"))
        #expect(isStated(Limits.setElementCountMax, "elements of a set"))
        #expect(isStated(Limits.nestingDepthMax, "lists in each other"))
        #expect(isStated(Limits.fieldEntryCountMax, "concurrent values"))
        #expect(isStated(Limits.actorCountMax, "stores that"))
        #expect(isStated(Int(Limits.batchOperationCountMax), "writes of an atomic batch"))
        #expect(isStated(BatchRoute.writeCountMax, "writes of another batch"))
        #expect(isStated(RequestBodyLimit.record >> 20, "body of a write"))
        #expect(isStated(RequestBodyLimit.batch >> 20, "body of a batch"))
        #expect(isStated(RequestBodyLimit.fetch >> 20, "body of a fetch"))
        #expect(isStated(RequestBodyLimit.small >> 10, "any other body"))
        #expect(isStated(ImportSession.lineByteCountMax >> 20, "line of an import"))
        #expect(isStated(DesiredKeys.countMax, "`desired_keys`"))
    }
}
