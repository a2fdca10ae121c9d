import Hummingbird
import KairanClient
import NIOCore

/// The JSON bodies of requests.
enum JSONBody {
    /// Reads a whole body.
    /// - Parameters:
    ///   - request: Whose body.
    ///   - limit: The most bytes.
    /// - Returns: The JSON.
    /// - Throws: ``RequestError``.
    static func read(_ request: Request, limit: Int) async throws -> JSONValue {
        try parse(try await bytes(request, limit: limit))
    }

    /// Reads a whole body where there need not be one.
    /// - Parameters:
    ///   - request: Whose body.
    ///   - limit: The most bytes.
    /// - Returns: The JSON; `nil` for an empty body.
    /// - Throws: ``RequestError``.
    static func readIfAny(_ request: Request, limit: Int) async throws -> JSONValue? {
        let bytes = try await bytes(request, limit: limit)
        // Not `nil` beside a JSON value: that would be JSON's null.
        if bytes.isEmpty { return .none }
        return try parse(bytes)
    }

    private static func bytes(_ request: Request, limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await part in request.body {
            guard bytes.count + part.readableBytes <= limit else { throw RequestError.tooLarge(byteCountMax: limit) }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
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
                details: ["line": "\(error.line)", "column": "\(error.column)", "offset": "\(error.offset)"]
            )
        }
    }
}
