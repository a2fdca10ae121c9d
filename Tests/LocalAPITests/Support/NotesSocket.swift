import FoundationEssentials
import KairanClient
import Node
import Testing
import Wire

@testable import LocalAPI

/// A real node with a zone "notes", asked over a real socket.
struct NotesSocket: Sendable {
    let client: DaemonClient
    let path: String

    /// Runs a node and its server for the time of a test.
    static func run(
        metrics: any MetricsPort = NoMetrics(),
        _ body: @escaping @Sendable (NotesSocket) async throws -> Void
    ) async throws {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory, metrics: metrics) { node in
                _ = try await node.zones.createZone(name: "notes", container: "org.example.notes", history: .full)
                try await LiveServer.run(node: node, metrics: metrics, in: directory) { path, _ in
                    try await DaemonClient.withClient(socketPath: path) { client in
                        try await body(NotesSocket(client: client, path: path))
                    }
                }
            }
        }
    }

    /// Asks something about the zone.
    /// - Returns: The answer, or the problem document.
    func ask(
        _ method: DaemonRequest.Method,
        _ segments: [String],
        _ body: String? = nil,
        query: [(name: String, value: String?)] = []
    ) async throws -> JSONValue {
        let json = try body.map { try JSONParser.parse(Array($0.utf8)) }
        let request = DaemonRequest(method, ["zones", "notes"] + segments, query: query, body: json)
        do {
            return try JSONParser.parse(try await client.document(request))
        } catch let error as KairanError {
            return try JSONParser.parse(error.document)
        }
    }

    /// Writes a record.
    @discardableResult
    func put(_ name: String, _ body: String) async throws -> JSONValue {
        try await ask(.put, ["records", name], body)
    }

    /// Reads a record.
    func get(_ name: String, query: [(name: String, value: String?)] = []) async throws -> JSONValue {
        try await ask(.get, ["records", name], query: query)
    }

    /// Sends bytes that no client library would send, as the body of a write.
    /// - Returns: Status line, header and body.
    func putRaw(_ name: String, _ body: String) async throws -> String {
        let connection = try RawConnection(path: path)
        connection.send(
            """
            PUT /v1/zones/notes/records/\(name) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        )
        return await connection.receive(until: "\"retryable\"")
    }
}
