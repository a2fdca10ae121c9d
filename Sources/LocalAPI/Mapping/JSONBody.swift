import Hummingbird
import KairanClient
import NIOCore

/// How much a body may have.
enum RequestBodyLimit {
    /// Most requests: names and options.
    static let small = 64 << 10
    /// One record: 1 MiB as base64 is 1.4 MiB; text with many escapes may need more, and then goes by import.
    static let record = 2 << 20
    /// A batch.
    static let batch = 16 << 20
}

/// The JSON bodies of requests.
enum JSONBody {
    /// Reads a whole body.
    /// - Parameters:
    ///   - request: Whose body.
    ///   - limit: The most bytes.
    /// - Throws: ``RequestError``.
    static func read(_ request: Request, limit: Int) async throws -> JSONValue {
        var bytes: [UInt8] = []
        for try await part in request.body {
            guard bytes.count + part.readableBytes <= limit else { throw RequestError.tooLarge(byteCountMax: limit) }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return try parse(bytes)
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
