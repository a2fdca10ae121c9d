public import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// Speaks with the daemon on this machine over its local socket.
///
/// ```swift
/// try await DaemonClient.withClient(socketPath: "/run/kairan/kairand.sock") { client in
///     let zone = try await client.createZone(name: "notes", container: "org.example.notes")
///     try await client.save(RecordWrite("n1", type: "Note", fields: ["title": "Milk"]), in: zone.zone)
///     for try await event in try await client.events(zone: zone.zone) {
///         print(event)
///     }
/// }
/// ```
///
/// Every call that returns has its effect on disk. A zone is named by its id or, where that is unique, by its name.
/// All calls throw ``KairanError``, or `CancellationError` when their task is cancelled: the daemon then drops the
/// request too, unless it was about to be finished. The client may be used from any number of tasks.
public struct DaemonClient: Sendable {
    /// Where the daemon listens.
    public let socketPath: String
    private let http: HTTPClient
    private let token: String?

    /// The most that one answer may have; pages and batches stay far below.
    static let answerByteCountMax = 512 << 20

    /// Makes a client on an HTTP client that the caller shuts down.
    /// - Parameters:
    ///   - socketPath: Where the daemon listens.
    ///   - http: Carries the requests. It should not have a read timeout, because events may be far between.
    ///   - token: The application's token, where the daemon's configuration demands one.
    public init(socketPath: String, http: HTTPClient, token: String? = nil) {
        self.socketPath = socketPath
        self.http = http
        self.token = token
    }

    /// Runs a closure with a client and closes its connections afterwards.
    /// - Parameters:
    ///   - socketPath: Where the daemon listens.
    ///   - token: The application's token, where the daemon's configuration demands one.
    ///   - body: Uses the client; streams must not be used after it has returned.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    public static func withClient<Result>(
        socketPath: String,
        token: String? = nil,
        _ body: (DaemonClient) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration()
        configuration.timeout = .init(connect: .seconds(5), read: nil)
        configuration.redirectConfiguration = .disallow
        // A daemon that does not run is reported at once instead of being waited for.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return try await HTTPClient.withHTTPClient(configuration: configuration) { http in
            try await body(DaemonClient(socketPath: socketPath, http: http, token: token))
        }
    }

    /// Sends a request and reads the whole answer.
    /// - Parameter request: The request.
    /// - Returns: The body of the answer; empty when nothing is the answer.
    /// - Throws: ``KairanError``, `CancellationError`.
    package func document(_ request: DaemonRequest) async throws -> [UInt8] {
        try await Self.collect(open(request))
    }

    /// Sends a request and decodes the answer.
    func value<Value: Decodable>(_ request: DaemonRequest, as type: Value.Type = Value.self) async throws -> Value {
        try Self.decode(await document(request))
    }

    /// Sends a request and hands over the answer's body as it arrives.
    /// - Parameters: as of ``openWhole(_:upload:accept:)``.
    /// - Returns: The body.
    /// - Throws: ``KairanError``, `CancellationError`.
    func open(
        _ request: DaemonRequest,
        upload: Upload? = nil,
        accept: String = "application/json"
    ) async throws -> HTTPClientResponse.Body {
        try await openWhole(request, upload: upload, accept: accept).body
    }

    /// A body to be streamed.
    struct Upload {
        /// What is sent.
        var body: HTTPClientRequest.Body
        /// Its media type.
        var contentType: String
    }

    /// Sends a request and hands over the answer as it arrives.
    /// - Parameters:
    ///   - request: The request; its body is not looked at when `upload` is given.
    ///   - upload: A body to be streamed.
    ///   - accept: The media type of the answer.
    /// - Returns: The answer.
    /// - Throws: ``KairanError``, `CancellationError`.
    func openWhole(
        _ request: DaemonRequest,
        upload: Upload? = nil,
        accept: String = "application/json"
    ) async throws -> HTTPClientResponse {
        guard !request.path.hasSuffix("/"), !request.path.contains("//") else {
            throw KairanError.emptyName
        }
        let bound = try self.bound(request, upload: upload, accept: accept)
        let response: HTTPClientResponse
        do {
            response = try await http.execute(bound, deadline: .distantFuture)
        } catch {
            throw translated(error)
        }
        guard (200..<300).contains(response.status.code) else {
            let body = try await Self.collect(response.body)
            throw Self.refusal(status: Int(response.status.code), body: body)
        }
        return response
    }

    private func bound(
        _ request: DaemonRequest,
        upload: Upload?,
        accept: String
    ) throws -> HTTPClientRequest {
        guard let url = URL(httpURLWithSocketPath: socketPath, uri: request.target) else {
            throw KairanError.unreachable(socketPath: socketPath, reason: "this is not a path")
        }
        var bound = HTTPClientRequest(url: url.absoluteString)
        bound.method = .init(rawValue: request.method.rawValue)
        bound.headers.add(name: "host", value: "localhost")
        bound.headers.add(name: "accept", value: accept)
        if let token { bound.headers.add(name: "authorization", value: "Bearer " + token) }
        if request.offset != 0 { bound.headers.add(name: "range", value: "bytes=\(request.offset)-") }
        if let upload {
            bound.headers.add(name: "content-type", value: upload.contentType)
            bound.body = upload.body
        } else if let body = request.body {
            bound.headers.add(name: "content-type", value: "application/json")
            bound.body = .bytes(body.encoded)
        }
        return bound
    }

    static func collect(_ body: HTTPClientResponse.Body) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await part in body {
                guard bytes.count + part.readableBytes <= answerByteCountMax else {
                    throw KairanError.unexpectedAnswer("it is longer than \(answerByteCountMax) bytes")
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let error as KairanError {
            throw error
        } catch {
            throw interruption(error)
        }
        return bytes
    }

    /// Decodes a JSON text of the interface.
    /// - Throws: ``KairanError`` when it does not fit.
    package static func decode<Value: Decodable>(_ bytes: [UInt8]) throws -> Value {
        do {
            return try JSONValueDecoder(JSONParser.parse(bytes)).decode(Value.self)
        } catch {
            throw KairanError.unexpectedAnswer("\(error)")
        }
    }

    /// The error of an answer that is not a success.
    static func refusal(status: Int, body: [UInt8]) -> KairanError {
        let problem: Problem
        do {
            problem = try decode(body)
        } catch {
            return .unexpectedAnswer("status \(status) without a problem document")
        }
        return KairanError(refused: problem, document: body)
    }
}
