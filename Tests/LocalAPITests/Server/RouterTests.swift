import HTTPTypes
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `The routes` {
    private let node = FakeNode()

    @Test(arguments: NodeError.Code.allCases) func `every error of the node is a problem document`(
        code: NodeError.Code
    ) async throws {
        node.fail(with: NodeError(code, "What.", fix: "Do.", facts: [.currentVersion("v1")]))
        let answer = try await node.answer(to: .get, "/v1/status")
        let row = ErrorTable.row(code)
        #expect(answer.status == row.status)
        #expect(answer.headers[.contentType] == "application/problem+json")
        #expect(answer.json["type"] == .string("https://kairan.invalid/problems/\(code.rawValue)"))
        #expect(answer.json["status"] == .integer(Int64(row.status)))
        #expect(answer.json["code"] == .string(code.rawValue))
        #expect(answer.json["detail"] == "What." && answer.json["fix"] == "Do.")
        #expect(answer.json["retryable"] == .bool(row.isRetryable))
        #expect(answer.json["current_version"] == "v1")
        #expect((answer.headers[.retryAfter] != nil) == row.isRetryable)
    }

    @Test func `an unknown path and a wrong method are distinguished`() async throws {
        let unknown = try await node.answer(to: .get, "/v1/nothing")
        #expect(unknown.status == 404 && unknown.json["code"] == "request.path_unknown")
        let wrong = try await node.answer(to: .patch, "/v1/zones/notes/records/n1")
        #expect(wrong.status == 405 && wrong.json["code"] == "request.method_not_allowed")
        #expect(wrong.headers[.allow] == "DELETE, GET, PUT")
        #expect(try await node.answer(to: .get, "/").status == 404)
    }

    @Test func `malformed JSON is refused with its place`() async throws {
        let answer = try await node.answer(to: .put, "/v1/zones/notes/records/n1", "{\"fields\":\n {\"a\": 01}}")
        #expect(answer.status == 400 && answer.json["code"] == "request.malformed_json")
        #expect(answer.json["line"] == 2 && answer.json["column"] == 8)
        let twice = try await node.answer(to: .put, "/v1/zones/notes/records/n1", #"{"fields":{"a":1,"a":2}}"#)
        #expect(twice.json["code"] == "request.malformed_json")
        #expect(twice.json["detail"]?.text?.contains("twice") == true)
        #expect(node.state.withLock { $0.records.isEmpty })
    }

    @Test(arguments: [
        (#"{"fields":{"a":{"$what":1}}}"#, "fields.a.$what"),
        (#"{"fields":{"a":[1,{"$date":"yesterday"}]}}"#, "fields.a[1].$date"),
        (#"{"fields":{"a":{"b":1}}}"#, "fields.a"),
        (#"{"fields":[1]}"#, "fields"),
        (#"{"felds":{}}"#, "felds"),
        (#"{"type":5}"#, "type"),
        (#"{"remove":[1]}"#, "remove"),
        (#"{"replace":"yes"}"#, "replace"),
        (#"{"name":"other"}"#, "name"),
    ])
    func `a value that is not allowed is named by its path`(body: String, field: String) async throws {
        let answer = try await node.answer(to: .put, "/v1/zones/notes/records/n1", body)
        #expect(answer.status == 400 && answer.json["code"] == "invalid_argument")
        #expect(answer.json["field"] == .string(field))
    }

    @Test func `a body over its limit is refused`() async throws {
        let long = String(repeating: "x", count: RequestBodyLimit.record)
        let answer = try await node.answer(to: .put, "/v1/zones/notes/records/n1", "{\"fields\":{\"a\":\"\(long)\"}}")
        #expect(answer.status == 413 && answer.json["code"] == "request.too_large")
        #expect(answer.json["limit"] == .integer(Int64(RequestBodyLimit.record)))
        let batch = "[" + String(repeating: "{\"name\":\"a\"},", count: 10_000) + "{\"name\":\"a\"}]"
        let many = try await node.answer(to: .post, "/v1/zones/notes/batch", "{\"atomic\":false,\"writes\":\(batch)}")
        #expect(many.status == 413 && many.json["code"] == "batch.too_large")
    }

    @Test func `a request that looks like a browser's is refused`() async throws {
        for name in ["Origin", "Referer", "Sec-Fetch-Site"] {
            let field = try #require(HTTPField.Name(name))
            let answer = try await node.answer(to: .get, "/v1/status", headers: [field: "http://localhost"])
            #expect(answer.status == 403 && answer.json["code"] == "request.from_browser", "\(name)")
        }
        #expect(node.calls.isEmpty)
    }

    @Test(arguments: [
        "Cookie", "Upgrade-Insecure-Requests", "Sec-CH-UA", "Sec-WebSocket-Key", "Access-Control-Request-Method",
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP",
    ])
    func `a request that only a browser or a proxy sends is refused`(name: String) async throws {
        let field = try #require(HTTPField.Name(name))
        let answer = try await node.answer(to: .get, "/v1/status", headers: [field: "a"])
        #expect(answer.status == 403 && answer.json["code"] == "request.from_browser")
        #expect(node.calls.isEmpty)
    }

    @Test func `parameters of the query are checked`() async throws {
        for (uri, field) in [
            ("/v1/zones/notes/records?limit=0", "limit"), ("/v1/changes?limit=1001", "limit"),
            ("/v1/changes?limit=ten", "limit"), ("/v1/changes?since=%GG", "since"),
            ("/v1/pairing/offers/t?wait_ms=60001", "wait_ms"), ("/v1/zones?database=own", "database"),
            ("/v1/zones/%FF", "zone"), ("/v1/changes?where=a%3D1", "where"), ("/v1/events?type=", "type"),
            ("/v1/zones/notes/events?type=T&where=a%3D", "where"), ("/v1/changes?type=T&where=", "where"),
        ] {
            let answer = try await node.answer(to: .get, uri)
            #expect(answer.status == 400 && answer.json["field"] == .string(field), "\(uri)")
        }
        #expect(node.calls.isEmpty)
    }

    @Test(arguments: [
        ("/v1/changes?limti=5", "limti"), ("/v1/status?a", "a"), ("/v1/zones/notes/records?limit=1&limit=2", "limit"),
        ("/v1/zones?database=private&%64atabase=shared", "database"), ("/v1/zones?%FF=1", "query"),
        ("/v1/zones/notes/export?limit=5", "limit"), ("/v1/events?since=a&Last-Event-ID=b", "Last-Event-ID"),
    ])
    func `an unknown parameter, or one given twice, is refused`(uri: String, field: String) async throws {
        let answer = try await node.answer(to: .get, uri)
        #expect(answer.status == 400 && answer.json["code"] == "invalid_argument")
        #expect(answer.json["field"] == .string(field), "\(answer.text)")
        #expect(node.calls.isEmpty)
    }

    @Test(arguments: [
        ("/v1/zones/notes/records/n1", HTTPRequest.Method.put, #"{"if_version":null}"#, "if_version"),
        ("/v1/zones/notes/records/n1", .put, #"{"fields":null}"#, "fields"),
        ("/v1/zones/notes/records/n1", .put, #"{"remove":null}"#, "remove"),
        ("/v1/zones/notes/batch", .post, #"{"atomic":null,"writes":[{"name":"a"}]}"#, "atomic"),
        ("/v1/account/enrolment-tokens", .post, #"{"uses":null}"#, "uses"),
        ("/v1/account/enrolment-tokens", .post, #"{"uses":1.5}"#, "uses"),
        ("/v1/account/enrolment-tokens", .post, #"{"uses":1e300}"#, "uses"),
        ("/v1/zones/notes/public", .put, #"{"world":["read","read"]}"#, "world"),
    ])
    func `a value that is lost, broken or there twice is refused and not left out`(
        uri: String,
        method: HTTPRequest.Method,
        body: String,
        field: String
    ) async throws {
        let answer = try await node.answer(to: method, uri, body)
        #expect(answer.status == 400 && answer.json["field"] == .string(field), "\(answer.text)")
        #expect(node.calls.isEmpty)
    }

    @Test func `a whole number may be written with a fraction of nothing`() async throws {
        let answer = try await node.answer(to: .post, "/v1/account/enrolment-tokens", #"{"uses":2.0,"expires_s":6e1}"#)
        #expect(answer.status == 201 && answer.json["uses"] == 2, "\(answer.text)")
    }

    @Test func `names in the path are decoded once`() async throws {
        _ = try await node.answer(to: .put, "/v1/zones/notes/records/a%2Fb%2525%C3%BC", #"{"type":"T"}"#)
        #expect(node.state.withLock { Array($0.records.keys) } == ["a/b%25ü"])
        #expect(try await node.answer(to: .get, "/v1/zones/notes/records/a%2fb%2525%c3%bc").status == 200)
    }

    @Test func `a batch is atomic by default`() async throws {
        let body = #"{"writes":[{"name":"a"},{"name":"b","delete":true,"if_version":"x"}]}"#
        let refused = try await node.answer(to: .post, "/v1/zones/notes/batch", body)
        #expect(refused.status == 409 && refused.json["code"] == "record.version_mismatch")
        let each = try await node.answer(to: .post, "/v1/zones/notes/batch", #"{"atomic":false,"# + body.dropFirst())
        #expect(each.status == 200 && each.json["saved"] == 1 && each.json["failed"] == 1)
        #expect(each.json["results"]?.elements?.map { $0["code"]?.text } == [nil, "record.version_mismatch"])
        let empty = try await node.answer(to: .post, "/v1/zones/notes/batch", #"{"writes":[]}"#)
        #expect(empty.json["field"] == "writes")
        let mixed = try await node.answer(
            to:
                .post,
            "/v1/zones/notes/batch",
            #"{"writes":[{"name":"a","delete":true,"type":"T"}]}"#
        )
        #expect(mixed.json["field"] == "writes[0].delete")
    }

    @Test func `a conflict ends with one side or with fields, not both`() async throws {
        _ = try await node.answer(to: .put, "/v1/zones/notes/records/n1", "{}")
        let path = "/v1/zones/notes/records/n1/resolve"
        #expect(try await node.answer(to: .post, path, #"{"take":"s1"}"#).status == 200)
        #expect(try await node.answer(to: .post, path, #"{"fields":{"title":"Both"}}"#).status == 200)
        #expect(node.state.withLock { $0.lastResolution?.hasPrefix("fields") } == true)
        #expect(try await node.answer(to: .post, path, #"{"take":"s1","fields":{}}"#).status == 400)
        #expect(try await node.answer(to: .post, path, "{}").status == 400)
    }

    @Test func `a zone is made with its history`() async throws {
        let full = try await node.answer(to: .post, "/v1/zones", #"{"name":"notes","container":"c"}"#)
        #expect(full.status == 201 && full.json["zone"] == .string(FakeNode.zoneID.text))
        #expect(full.json["epoch"] == .null && full.json["peers"]?.elements?.first?["in_sync"] == false)
        _ = try await node.answer(to: .post, "/v1/zones", #"{"name":"notes","container":"c","history":"fromJoin"}"#)
        #expect(
            node.state.withLock { $0.calls.suffix(2) } == ["createZone notes c full", "createZone notes c fromJoin"]
        )
        let wrong = try await node.answer(to: .post, "/v1/zones", #"{"name":"notes","container":"c","history":"some"}"#)
        #expect(wrong.json["field"] == "history")
        let missing = try await node.answer(to: .post, "/v1/zones", #"{"name":"notes"}"#)
        #expect(missing.json["field"] == "container")
    }

    @Test func `the zones of one database are asked for`() async throws {
        #expect(try await node.answer(to: .get, "/v1/zones").json.elements?.first?["own"] == true)
        #expect(try await node.answer(to: .get, "/v1/zones?database=shared").status == 200)
        #expect(node.calls == ["zones", "zones shared"])
    }

    @Test func `a device is removed by its id only`() async throws {
        #expect(try await node.answer(to: .delete, "/v1/devices/\(FakeNode.other.text)").status == 204)
        #expect(try await node.answer(to: .delete, "/v1/devices/desk").json["field"] == "device")
    }

    @Test func `names are set and removed by the path and the body`() async throws {
        let name = try await node.answer(to: .put, "/v1/account/name", #"{"name":"Alice"}"#)
        #expect(name.status == 200 && name.json["account_name"] == "Alice")
        let device = try await node.answer(to: .put, "/v1/devices/\(FakeNode.other.text)/name", #"{"name":"lap"}"#)
        #expect(device.json["device"]?.text == FakeNode.other.text && device.json["name"] == "lap")
        let petname = try await node.answer(to: .put, "/v1/accounts/Bob%20from%20work/petname", #"{"petname":"Bob"}"#)
        #expect(petname.json["account_name"] == "Bob" && petname.json["display_name"] == "Robert")
        #expect(try await node.answer(to: .delete, "/v1/accounts/Bob/petname").status == 204)
        #expect(try await node.answer(to: .put, "/v1/devices/desk/name", #"{"name":"lap"}"#).json["field"] == "device")
        let calls = node.calls
        #expect(
            calls == [
                "nameAccount Alice", "account", "renameDevice \(FakeNode.other.shortText) lap",
                "setPetname Bob from work Bob", "setPetname Bob none",
            ]
        )
    }

    @Test func `the name of an account follows its id`() async throws {
        let accounts = try await node.answer(to: .get, "/v1/accounts").json.elements ?? []
        #expect(accounts.map { $0["account_name"]?.text } == ["Alice", "Bob"])
        #expect(accounts.map { $0["petname"]?.text } == [nil, "Bob"])
        let share = try await node.answer(to: .get, "/v1/zones/notes/shares").json
        #expect(share["owner"]?["account_name"] == "Alice")
        let participant = share["participants"]?.elements?.first
        #expect(participant?["account_name"] == "Bob")
        #expect(participant?["capabilities"]?.elements?.first?["by_name"] == "Alice")
        let zone = try await node.answer(to: .get, "/v1/zones").json.elements?.first
        #expect(zone?["owner_name"] == "Alice" && zone?["pair_with_name"] == .null)
        let peer = try await node.answer(to: .get, "/v1/peers").json.elements?.first
        #expect(peer?["account_name"] == "Alice" && peer?["name"] == "desk")
    }

    @Test func `the description of the interface is served, with the required role and input of every path`()
        async throws
    {
        let answer = try await node.answer(to: .get, "/v1/openapi.yaml")
        #expect(answer.status == 200 && answer.headers[.contentType] == "application/yaml")
        #expect(answer.text == OpenAPIDocument.text)
        let described = try DescribedOperation.all(in: answer.text).map { operation in
            "\(operation.endpoint): \(operation.access) \(operation.query.sorted())"
        }
        let routes = LocalRouter.routes.map { "\($0.method.rawValue) \($0.path): \($0.needs) \($0.query.sorted())" }
        #expect(described.sorted() == routes.sorted())
    }
}
