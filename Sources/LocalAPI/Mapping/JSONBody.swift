import Hummingbird
import KairanInterface
import NIOCore
import NIOPosix
import Node

/// The JSON bodies of requests.
enum JSONBody {
    /// The maximum time for a body to arrive: a slower caller would hold memory and a place for nothing.
    static let patience: Duration = .seconds(60)

    /// Reads a whole body.
    /// - Parameters:
    ///   - request: The request with the body.
    ///   - limit: The most bytes.
    /// - Returns: The JSON.
    /// - Throws: ``RequestError``.
    static func read(_ request: Request, limit: Int) async throws -> JSONValue {
        try parse(try await bytes(of: request.body, limit: limit))
    }

    /// Reads a whole body that may be missing.
    /// - Parameters:
    ///   - request: The request with the body.
    ///   - limit: The most bytes.
    /// - Returns: The JSON; `nil` for an empty body.
    /// - Throws: ``RequestError``.
    static func readIfAny(_ request: Request, limit: Int) async throws -> JSONValue? {
        let bytes = try await bytes(of: request.body, limit: limit)
        // Not `nil` beside a JSON value: that would be JSON's null.
        if bytes.isEmpty { return .none }
        return try parse(bytes)
    }

    /// Reads all bytes of a body.
    /// - Parameters:
    ///   - body: The body.
    ///   - limit: The most bytes.
    ///   - patience: The maximum time for the body to arrive.
    /// - Returns: The bytes.
    /// - Throws: ``RequestError`` `tooLarge`, `tooSlow`, or any error of the connection.
    static func bytes(
        of body: RequestBody,
        limit: Int,
        patience: Duration = Self.patience
    ) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                for try await part in body {
                    guard bytes.count + part.readableBytes <= limit else {
                        throw RequestError.tooLarge(byteCountMax: limit)
                    }
                    bytes.append(contentsOf: part.readableBytesView)
                }
                return bytes
            }
            group.addTask {
                try await pause(for: patience)
                throw RequestError.tooSlow(patience)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }

    /// Waits, by a timer of the connection's own event loop where this runs on one: each timer of the system's wakes a
    /// thread, and nearly every body has arrived with its head.
    /// - Throws: `CancellationError`.
    private static func pause(for duration: Duration) async throws {
        guard let loop = MultiThreadedEventLoopGroup.currentEventLoop else {
            return try await Task.sleep(for: duration)
        }
        let end = loop.makePromise(of: Void.self)
        let timer = loop.scheduleTask(in: TimeAmount(duration)) { end.succeed() }
        try await withTaskCancellationHandler {
            try await end.futureResult.get()
        } onCancel: {
            timer.cancel()
            end.fail(CancellationError())
        }
    }

    /// Reads a text.
    static func parse(_ bytes: [UInt8]) throws(RequestError) -> JSONValue {
        do {
            return try JSONParser.parse(bytes)
        } catch {
            throw RequestError(
                .malformedJSON,
                "The body is not JSON: \(error.description).",
                fix: "Send one JSON text in UTF-8 that has no member twice.",
                facts: [.line(error.line), .column(error.column), .offset(error.offset)]
            )
        }
    }
}
