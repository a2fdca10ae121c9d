import HTTPTypes
import Hummingbird
import KairanClient
import NIOCore
import Node
import Testing
import Wire

@testable import LocalAPI

/// Everything that can be wrong with a request, tried on every endpoint in front of a real node.
///
/// In each case the answer is the documented problem, and nothing has changed.
@Suite struct `Every endpoint given bad input` {
    typealias Answer = BadInputAsker.Answer

    @Test func `the table names every endpoint, with a body where one is described`() throws {
        let described = try DescribedOperation.all(in: OpenAPIDocument.text).map { operation in
            "\(operation.endpoint): \(operation.bodyType == "application/json")"
        }
        #expect(BadInputRow.all.map { "\($0.endpoint): \(!$0.body.isEmpty)" }.sorted() == described.sorted())
        #expect(BadInputRow.all.map(\.endpoint).sorted() == LocalRouter.paths.sorted())
    }

    private static let notJSON: [String] = [
        "{", "{\"a\":}", "{\"a\":1,}", "[1 2]", "{} {}", "nul", "{'a':1}", "{\"a\":NaN}", "{\"a\":01}", "{\"a\":1e999}",
        "{\"a\":\"\\ud800\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\u{1}\"}", "\u{FEFF}{}", "{\"a\":1,\"a\":2}",
        "{\"a\":{\"b\":[{\"c\":1,\"c\":1}]}}", String(repeating: "[", count: 60_000),
        String(repeating: "{\"a\":", count: 10_000),
    ]

    @Test(.timeLimit(.minutes(5))) func `refuses invalid JSON, with its position`() async throws {
        try await BadInputAsker.withNode { asker in
            for row in BadInputRow.all where !row.body.isEmpty {
                for text in Self.notJSON + (row.isBodyOptional ? [] : ["", "  "]) {
                    let answer = try await asker.ask(row, body: text)
                    asker.expect(answer, "request.malformed_json", row, text)
                    #expect(answer.json["line"]?.integer != nil && answer.json["column"]?.integer != nil)
                }
                let notText = try await asker.ask(
                    row,
                    body: ByteBuffer(bytes: Array("{\"a\":\"".utf8) + [0xC0, 0x80, 0x22, 0x7D])
                )
                asker.expect(notText, "request.malformed_json", row, "not UTF-8")
                try await asker.expectUnchanged(row)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `refuses values of other types and out of range, with their place`()
        async throws
    {
        try await BadInputAsker.withNode { asker in
            for row in BadInputRow.all where !row.body.isEmpty {
                for text in [row.otherJSON, "\"x\"", "7", "null", "true", "[{}]", "[1]"] + row.spoilt {
                    asker.expect(try await asker.ask(row, body: text), "invalid_argument", row, text)
                }
                let members = try JSONParser.parse(Array(row.body.utf8)).members ?? []
                for name in Set(members.map(\.name)).union(row.outOfRange.keys) {
                    let good = members.first { $0.name == name }?.value
                    let others: [JSONValue] = [.null, true, 7, "?", .array([]), .object([])]
                    let wrong = good.map { good in others.filter { $0.kindName != good.kindName } } ?? []
                    for value in wrong.map(BadInputAsker.text) + (row.outOfRange[name] ?? []) {
                        let body = BadInputAsker.body(members, name, value)
                        let answer = try await asker.ask(row, body: body)
                        asker.expect(answer, "invalid_argument", row, body)
                    }
                }
                try await asker.expectUnchanged(row)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `refuses members and parameters that it does not know`() async throws {
        try await BadInputAsker.withNode { asker in
            for row in BadInputRow.all {
                let parameter = try await asker.ask(row, query: "?nope=1", body: row.body)
                asker.expect(parameter, "invalid_argument", row, "?nope")
                #expect(parameter.json["field"] == "nope", "\(row.endpoint)")
                if !row.body.isEmpty, !row.takesArray {
                    for body in ["{\"nope\":1}", row.body.dropLast() + ",\"nope\":1}"] {
                        let member = try await asker.ask(row, body: String(body))
                        asker.expect(member, "invalid_argument", row, "nope")
                        #expect(member.json["field"] == "nope", "\(row.endpoint): \(member.text)")
                    }
                }
                try await asker.expectUnchanged(row)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `reports missing objects and invalid names`() async throws {
        try await BadInputAsker.withNode { asker in
            for row in BadInputRow.all {
                for placeholder in row.placeholders {
                    for name in ["%FF", "%C0%80", "%ED%A0%80", "%2", "%", "%GG"] {
                        let answer = try await asker.ask(row, naming: [placeholder: name], body: row.body)
                        asker.expect(answer, "invalid_argument", row, name)
                        #expect(answer.json["field"] == .string(placeholder), "\(row.endpoint): \(answer.text)")
                    }
                    guard let code = placeholder == "zone" ? "zone.unknown" : row.unknown[placeholder] else { continue }
                    let dots = try await asker.ask(row, naming: [placeholder: ".."], body: row.body)
                    asker.expect(dots, "request.path_unknown", row, "..")
                    // Slashes are names like others; a text that is longer than a name may be is no record's name.
                    for name in [
                        "nothing", "%2E%2E", "%2F", "%00", "a%20b", "%F0%9F%A6%80", "%E2%80%AE", Self.longName,
                    ] {
                        let answer = try await asker.ask(row, naming: [placeholder: name], body: row.body)
                        // A write looks at the name before it looks for the record.
                        let isRefusedName =
                            [Self.longName, "%2E%2E"].contains(name) && answer.code == "invalid_argument"
                        asker.expect(answer, isRefusedName ? "invalid_argument" : code, row, name)
                    }
                }
                try await asker.expectUnchanged(row)
            }
        }
    }

    private static let longName = String(repeating: "%C3%BC", count: 2_000)

    @Test(.timeLimit(.minutes(5))) func `refuses parameters that are none`() async throws {
        let operations = try DescribedOperation.all(in: OpenAPIDocument.text)
        let wrong = [
            "limit": [
                "", "0", "1001", "-1", "1e3", "0x10", "9007199254740993", "99999999999999999999", "%31%FF", "NaN",
                "+%205",
            ],
            "wait_ms": ["", "-1", "300001", "1.0"], "item": ["", "-1", "1048576", "x"],
            "database": ["", "own", "Private", "%00"],
            "if_version": ["x", "%F0%9F%A6%80"],
        ]
        try await BadInputAsker.withNode { asker in
            for row in BadInputRow.all {
                let operation = try #require(operations.first { $0.endpoint == row.endpoint })
                for parameter in operation.query {
                    for value in (wrong[parameter] ?? []) + ["%", "%FF", "%C0%80"] {
                        let answer = try await asker.ask(row, query: "?\(parameter)=\(value)", body: row.body)
                        asker.expect(answer, "invalid_argument", row, "\(parameter)=\(value)")
                    }
                    let twice = try await asker.ask(row, query: "?\(parameter)=1&\(parameter)=1", body: row.body)
                    asker.expect(twice, "invalid_argument", row, "\(parameter) twice")
                }
                try await asker.expectUnchanged(row)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `refuses a token that is none, or another store's`() async throws {
        let operations = try DescribedOperation.all(in: OpenAPIDocument.text)
        let foreign = try await BadInputAsker.withNode { asker in try await asker.token() }
        try await BadInputAsker.withNode { asker in
            let own = try await asker.token()
            let cut = String(own.dropLast())
            for row in BadInputRow.all
            where operations.contains(where: { $0.endpoint == row.endpoint && $0.query.contains("since") }) {
                for value in ["x", "%F0%9F%A6%80", foreign, cut, own + own, Self.longName] {
                    asker.expect(try await asker.ask(row, query: "?since=\(value)"), "token.expired", row, value)
                }
                try await asker.expectUnchanged(row)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `refuses a condition that does not hold`() async throws {
        let stale = String(repeating: "0", count: 32)
        try await BadInputAsker.withNode { asker in
            var count = 0
            for row in BadInputRow.all {
                if let body = row.stale {
                    asker.expect(try await asker.ask(row, body: body), "record.version_mismatch", row, body)
                    count += 1
                } else if row.endpoint == "DELETE /v1/zones/{zone}/records/{name}" {
                    for version in [stale, ""] {
                        let answer = try await asker.ask(row, query: "?if_version=\(version)")
                        asker.expect(answer, "record.version_mismatch", row, version)
                    }
                    count += 1
                }
                try await asker.expectUnchanged(row)
            }
            #expect(count == 3)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `refuses a predicate that is none, with its place`() async throws {
        try await BadInputAsker.withNode { asker in
            for row in BadInputRow.all where !row.predicates.isEmpty {
                let members = try #require(try JSONParser.parse(Array(row.body.utf8)).members)
                for predicate in row.predicates {
                    let body = BadInputAsker.body(members, "where", BadInputAsker.text(.string(predicate)))
                    let answer = try await asker.ask(row, body: body)
                    asker.expect(answer, "query.bad_predicate", row, predicate)
                    #expect(
                        answer.json["field"] == "where" && answer.json["position"]?.integer != nil,
                        "\(predicate.prefix(80))"
                    )
                }
                try await asker.expectUnchanged(row)
            }
        }
        let asking = try DescribedOperation.all(in: OpenAPIDocument.text).map(\.endpoint).filter {
            $0.hasSuffix("/query")
        }
        #expect(BadInputRow.all.filter { !$0.predicates.isEmpty }.map(\.endpoint) == asking)
    }

    @Test(.timeLimit(.minutes(5))) func `refuses a body over its limit`() async throws {
        try await BadInputAsker.withNode { asker in
            for row in BadInputRow.all where !row.body.isEmpty {
                // White space is allowed around JSON; the wrong kind of value is refused once it is read.
                let fits = row.otherJSON + String(repeating: " ", count: row.limit - 2)
                let answer = try await asker.ask(row, body: fits + " ")
                asker.expect(answer, "request.too_large", row, "limit + 1")
                #expect(answer.json["limit"] == .integer(Int64(row.limit)))
                asker.expect(try await asker.ask(row, body: fits), "invalid_argument", row, "limit")
                try await asker.expectUnchanged(row)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `names the methods that a path has`() async throws {
        try await BadInputAsker.withNode { asker in
            for path in Set(BadInputRow.all.map(\.path)) {
                let rows = BadInputRow.all.filter { $0.path == path }
                for method in ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "BREW"]
                where !rows.contains(where: { $0.method == method }) {
                    let answer = try await asker.ask(rows[0], method: method)
                    asker.expect(answer, "request.method_not_allowed", rows[0], method)
                    #expect(answer.headers[.allow] == rows.map(\.method).sorted().joined(separator: ", "), "\(path)")
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `counts each bad line of an import, and accepts none of them`() async throws {
        let row = try #require(BadInputRow.all.first { $0.endpoint == "POST /v1/zones/{zone}/import" })
        let stale = String(repeating: "0", count: 32)
        let lines: [(line: String, code: String)] =
            Self.notJSON.filter { !$0.contains("\n") }.map { ($0, "request.malformed_json") } + [
                ("[]", "invalid_argument"), ("null", "invalid_argument"), ("{}", "invalid_argument"),
                (#"{"name":1}"#, "invalid_argument"), (#"{"name":""}"#, "invalid_argument"),
                (#"{"name":"b","nope":1}"#, "invalid_argument"), (#"{"name":"b","delete":null}"#, "invalid_argument"),
                (#"{"name":"n1","delete":true,"type":"Note"}"#, "invalid_argument"),
                (#"{"name":"n1","type":"Other"}"#, "invalid_argument"),
                (#"{"name":"b","delete":true}"#, "record.unknown"),
                (#"{"name":"n1","if_version":"\#(stale)"}"#, "record.version_mismatch"),
            ]
        try await BadInputAsker.withNode { asker in
            let answer = try await asker.ask(row, body: lines.map(\.line).joined(separator: "\n"))
            #expect(answer.status == 200)
            var codes: [Int64: String] = [:]
            var last = JSONValue.null
            for line in answer.text.split(separator: "\n") {
                last = try JSONParser.parse(Array(line.utf8))
                for error in last["errors"]?.elements ?? [] {
                    if let number = error["line"]?.integer { codes[number] = error["code"]?.text }
                }
            }
            #expect(last["saved"] == 0 && last["done"] == true && last["failed"] == .integer(Int64(lines.count)))
            for (index, (line, code)) in lines.enumerated() {
                #expect(codes[Int64(index + 1)] == code, "\(line.prefix(80))")
            }
            let long = String(repeating: " ", count: ImportSession.lineByteCountMax + 1)
            let tooLong = try await asker.ask(row, body: long)
            #expect(tooLong.json["done"] == false && tooLong.json["problem"]?["code"] == "request.too_large")
            try await asker.expectUnchanged(row)
        }
    }
}
