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
    /// The path of the daemon's socket.
    public let socketPath: String
    let transport: any DaemonTransport
    let token: String?

    /// The most that one answer may have; pages and batches stay far below.
    static let answerByteCountMax = 512 << 20

    /// Runs a closure with a client and closes its connections afterwards.
    ///
    /// At most 64 calls and streams run at once, each on its own connection; further ones wait until one has ended.
    /// - Parameters:
    ///   - socketPath: The path of the daemon's socket.
    ///   - token: The application's token, where the daemon's configuration demands one.
    ///   - body: The closure that uses the client; it must not use streams after it has returned.
    /// - Returns: The result of the closure.
    /// - Throws: Any error of the closure.
    public static func withClient<Result>(
        socketPath: String,
        token: String? = nil,
        _ body: (DaemonClient) async throws -> Result
    ) async throws -> Result {
        try await ConnectionPool.withPool(socketPath: socketPath) { connections in
            try await body(DaemonClient(socketPath: socketPath, transport: connections, token: token))
        }
    }

    /// Makes a client of a transport that other code closes.
    /// - Parameters:
    ///   - socketPath: The path of the daemon's socket, for messages.
    ///   - transport: Carries the requests.
    ///   - token: The application's token, if the daemon demands one.
    package init(socketPath: String, transport: any DaemonTransport, token: String? = nil) {
        self.socketPath = socketPath
        self.transport = transport
        self.token = token
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

    /// Sends a request and returns the answer's body as it arrives.
    /// - Parameters: as of ``openWhole(_:upload:accept:)``.
    /// - Returns: The body.
    /// - Throws: ``KairanError``, `CancellationError`.
    func open(
        _ request: DaemonRequest,
        upload: Upload? = nil,
        accept: String = "application/json"
    ) async throws -> AnswerBody {
        try await openWhole(request, upload: upload, accept: accept).body
    }

    /// A body to be streamed.
    struct Upload {
        /// The body to send.
        var body: RequestBody
        /// Its media type.
        var contentType: String
    }

    /// Sends a request and returns the answer as it arrives.
    /// - Parameters:
    ///   - request: The request; its body is ignored when `upload` is given.
    ///   - upload: A body to be streamed.
    ///   - accept: The media type of the answer.
    /// - Returns: The answer.
    /// - Throws: ``KairanError``, `CancellationError`.
    func openWhole(
        _ request: DaemonRequest,
        upload: Upload? = nil,
        accept: String = "application/json"
    ) async throws -> SocketAnswer {
        guard !request.path.hasSuffix("/"), !request.path.contains("//") else {
            throw KairanError.emptyName
        }
        let answer: SocketAnswer
        do {
            answer = try await transport.execute(bound(request, upload: upload, accept: accept))
        } catch {
            throw translated(error)
        }
        guard (200..<300).contains(answer.status) else {
            throw Self.refusal(status: answer.status, body: try await Self.collect(answer.body))
        }
        return answer
    }

    private func bound(_ request: DaemonRequest, upload: Upload?, accept: String) -> SocketRequest {
        var bound = SocketRequest(.init(rawValue: request.method.rawValue), request.target)
        bound.headers.add(name: "host", value: "localhost")
        bound.headers.add(name: "accept", value: accept)
        if let token { bound.headers.add(name: "authorization", value: "Bearer " + token) }
        if let range = request.range { bound.headers.add(name: "range", value: range.header) }
        if let upload {
            bound.headers.add(name: "content-type", value: upload.contentType)
            bound.body = upload.body
        } else if let body = request.body {
            bound.headers.add(name: "content-type", value: "application/json")
            bound.body = .bytes(ByteBuffer(bytes: body.encoded))
        }
        return bound
    }

    static func collect(_ body: AnswerBody) async throws -> [UInt8] {
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
            return try JSONParser.parse(bytes).decoded()
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
