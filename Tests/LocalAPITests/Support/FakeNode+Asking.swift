import HTTPTypes
import Hummingbird
import KairanClient
import NIOCore

@testable import LocalAPI

extension FakeNode {
    /// Asks the routes over this node, without a socket.
    /// - Returns: The answer; its JSON is null if its body is none.
    func answer(
        to method: HTTPRequest.Method,
        _ uri: String,
        _ body: String? = nil,
        headers: HTTPFields = [:],
        as caller: Caller = .admin
    ) async throws -> (status: Int, json: JSONValue, headers: HTTPFields, text: String) {
        let client = RouterClient(AskedBy(caller, LocalRouter(node: self).makeResponder()))
        let buffer = body.map { ByteBuffer(string: $0) }
        let response = try await client.executeRequest(uri: uri, method: method, headers: headers, body: buffer)
        let text = String(buffer: response.body)
        // Answers that are not JSON are looked at as text.
        let json = (try? JSONParser.parse(Array(text.utf8))) ?? .null
        return (response.status.code, json, response.headers, text)
    }

    /// Asks the routes over this node for an answer that is JSON, or has no body.
    func ask(
        _ method: HTTPRequest.Method,
        _ uri: String,
        _ body: String? = nil,
        as caller: Caller = .admin
    ) async throws -> (status: Int, json: JSONValue) {
        let answer = try await answer(to: method, uri, body, as: caller)
        return (answer.status, answer.text.isEmpty ? .null : try JSONParser.parse(Array(answer.text.utf8)))
    }
}
