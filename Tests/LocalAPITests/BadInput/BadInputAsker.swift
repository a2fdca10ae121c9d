import HTTPTypes
import Hummingbird
import KairanClient
import NIOCore
import Node
import Testing
import Wire

@testable import LocalAPI

/// Sends requests to a real node through the routes, as an administrator, and checks whether anything has changed.
struct BadInputAsker: Sendable {
    /// An answer, read as JSON where it is.
    struct Answer: Sendable {
        var status: Int
        var json: JSONValue
        var headers: HTTPFields
        var text: String

        var code: String? { json["code"]?.text }
    }

    private let client: RouterClient
    private let node: Node

    /// Runs a node with a zone and a record in it.
    static func withNode<Value: Sendable>(
        _ body: @escaping @Sendable (BadInputAsker) async throws -> Value
    ) async throws -> Value {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                _ = try await node.zones.createZone(name: "notes", container: "org.example.notes", history: .full)
                let write = RecordDraft(name: "n1", type: "Note", fields: [("text", .string("as it was"))])
                _ = try await node.records.write([write], zone: "notes", atomic: true)
                let client = RouterClient(AskedBy(.admin, LocalRouter(node: node).makeResponder()))
                return try await body(BadInputAsker(client: client, node: node))
            }
        }
    }

    func ask(
        _ row: BadInputRow,
        method: String? = nil,
        naming names: [String: String] = [:],
        query: String = "",
        body: String
    ) async throws -> Answer {
        try await ask(row, method: method, naming: names, query: query, body: ByteBuffer(string: body))
    }

    func ask(
        _ row: BadInputRow,
        method: String? = nil,
        naming names: [String: String] = [:],
        query: String = "",
        body: ByteBuffer? = nil
    ) async throws -> Answer {
        let method = try #require(HTTPRequest.Method(method ?? row.method))
        let uri = row.path(naming: names) + query
        let response = try await client.executeRequest(uri: uri, method: method, headers: [:], body: body)
        let text = String(buffer: response.body)
        // An answer that is not JSON is looked at as text.
        let json = (try? JSONParser.parse(Array(text.utf8))) ?? .null
        return Answer(status: response.status.code, json: json, headers: response.headers, text: text)
    }

    /// Compares an answer with the documentation of its code.
    func expect(_ answer: Answer, _ code: String, _ row: BadInputRow, _ what: String) {
        let place = "\(row.endpoint) with \(what.prefix(200)): \(answer.status) \(answer.text.prefix(600))"
        guard answer.code == code else {
            Issue.record("\(code) is expected of \(place)")
            return
        }
        let status = ErrorTable.rows.first { $0.code == code }?.status
        #expect(answer.status == status, "\(place)")
        #expect(answer.headers[.contentType] == "application/problem+json", "\(place)")
        #expect(answer.json["detail"]?.text?.isEmpty == false && answer.json["fix"]?.text?.isEmpty == false, "\(place)")
        // A refusal of something long is not long.
        #expect(answer.text.utf8.count < 16_384, "\(place)")
    }

    /// Returns a token that the node issued.
    func token() async throws -> String {
        try await node.feed.changes(zone: nil, since: nil, limit: 1).token
    }

    /// Checks that everything is as ``withNode(_:)`` made it.
    func expectUnchanged(_ row: BadInputRow) async throws {
        let zones = try await node.zones.list(in: nil)
        #expect(zones.map(\.name) == ["notes"], "\(row.endpoint)")
        let page = try await node.feed.changes(zone: nil, since: nil, limit: 1_000)
        #expect(page.changes.map(\.record.name) == ["n1"] && !page.more, "\(row.endpoint)")
        #expect(page.changes.first?.record.fields.map(\.name) == ["text"], "\(row.endpoint)")
        #expect(try await node.feed.changes(zone: nil, since: page.token, limit: 1).changes.isEmpty, "\(row.endpoint)")
        let share = try await node.sharing.share(of: "notes")
        #expect(share.invites.isEmpty && share.participants.isEmpty, "\(row.endpoint)")
        #expect(share.publicAccess.link == nil, "\(row.endpoint)")
        #expect(try await node.devices.account().devices.count == 1, "\(row.endpoint)")
        #expect(try await node.inviting.blocks().isEmpty, "\(row.endpoint)")
        #expect(try await node.joining.joins().isEmpty, "\(row.endpoint)")
        #expect(try await node.relaying.relays().isEmpty, "\(row.endpoint)")
        #expect(try await node.health.status().state == .ready, "\(row.endpoint)")
    }

    /// Returns a body with one member that has another value, or that is there besides.
    static func body(_ members: [JSONMember], _ name: String, _ value: String) -> String {
        let others = members.filter { $0.name != name }.map { "\(text(.string($0.name))):\(text($0.value))" }
        let texts = others + ["\(text(.string(name))):\(value)"]
        return "{\(texts.joined(separator: ","))}"
    }

    /// A value as text.
    static func text(_ value: JSONValue) -> String {
        String(decoding: value.encoded, as: UTF8.self)
    }
}
