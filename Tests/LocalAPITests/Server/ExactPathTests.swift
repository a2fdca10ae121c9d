import HTTPTypes
import KairanClient
import Node
import Synchronization
import Testing

@testable import LocalAPI

/// Paths are matched byte for byte: the form that a client makes of a name of dots is no other path.
@Suite struct `The paths of the interface` {
    private let node = FakeNode()

    private func send(
        _ method: HTTPRequest.Method,
        _ uri: String,
        body text: String = "{}"
    ) async throws -> (status: Int, json: JSONValue) {
        let answer = try await node.answer(to: method, uri, method == .put || method == .post ? text : nil)
        return (answer.status, answer.json)
    }

    @Test(arguments: [
        (HTTPRequest.Method.delete, "/v1/zones/notes/"), (.delete, "/v1/zones/notes/."),
        (.delete, "/v1/zones/notes/records/.."),
        (.put, "/v1/zones/notes/records//n1"), (.get, "/v1/zones//notes"), (.get, "//v1/status"), (.get, "/v1/status/"),
        (.get, "/v1//status"), (.get, "/v1/./status"), (.get, "/v1/zones/../status"),
        (.get, "/v1/zones/notes/records/"),
        (.post, "/v1/zones/notes/records/n1/resolve/"), (.get, "/v1/zones/notes?limit=1/"), (.get, "/"), (.get, "/v1"),
    ])
    func `have no empty segment, no dot segment and no slash at the end`(
        method: HTTPRequest.Method,
        uri: String
    ) async throws {
        let answer = try await send(method, uri)
        if uri.contains("?") {
            #expect(answer.json["code"] == "invalid_argument", "a slash behind the question mark is none of the path")
        } else {
            #expect(answer.status == 404 && answer.json["code"] == "request.path_unknown", "\(answer.json)")
        }
        #expect(node.calls.isEmpty, "nothing was asked or done")
    }

    @Test func `name the way to a record that is called by dots`() async throws {
        let answer = try await send(.delete, "/v1/zones/notes/records/..")
        #expect(answer.json["fix"]?.text?.contains("/batch") == true)
    }

    @Test(arguments: [
        "/v1/zones/notes/records", "/v1/zones/notes/changes", "/v1/changes", "/v1/zones/notes/export",
    ])
    func `accept whether the daemon's own records are requested`(path: String) async throws {
        func last() -> String { node.state.withLock { $0.calls.last ?? "" } }
        _ = try await send(.get, path)
        #expect(!last().contains("internal"), "\(last())")
        _ = try await send(.get, path + "?internal=true")
        #expect(last().contains("internal"), "\(last())")
        _ = try await send(.get, path + "?internal=false")
        #expect(!last().contains("internal"), "\(last())")
        for wrong in ["", "yes", "1", "TRUE"] {
            let answer = try await send(.get, path + "?internal=" + wrong)
            #expect(answer.json["code"] == "invalid_argument" && answer.json["field"] == "internal", "\(answer.json)")
        }
    }

    @Test func `accept that of a query in its body`() async throws {
        _ = try await send(.post, "/v1/zones/notes/query", body: #"{"type":"kairan.message","internal":true}"#)
        #expect(node.state.withLock { $0.calls.last?.hasSuffix("internal") } == true)
        let wrong = try await send(.post, "/v1/zones/notes/query", body: #"{"type":"T","internal":"true"}"#)
        #expect(wrong.json["field"] == "internal")
    }
}
