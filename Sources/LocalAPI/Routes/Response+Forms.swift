import HTTPTypes
import Hummingbird
import KairanInterface
import Logging
import NIOCore
import Node

extension Response {
    /// A JSON answer.
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.encoded))
        )
    }

    /// A view of the node as a JSON answer.
    static func json(_ view: some ResourceView, status: HTTPResponse.Status = .ok) throws -> Response {
        .json(try view.json, status: status)
    }

    /// A resource as a JSON answer.
    static func json(resource: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        .json(try JSONValue(encoding: resource), status: status)
    }

    /// An answer without content, for a request that was carried out.
    static var noContent: Response { Response(status: .noContent) }

    /// Returns an answer that is written while its content is being produced.
    ///
    /// The closure ends the body with `finish`. An error breaks the connection, so that an incomplete answer does not
    /// look like a complete one.
    /// - Parameters:
    ///   - mediaType: The media type of the body.
    ///   - status: The status.
    ///   - headers: Further headers.
    ///   - byteCount: The size of the body in bytes; `nil` if unknown.
    ///   - context: The request's context; its log records why an answer was broken off.
    ///   - write: Writes the body.
    /// - Returns: The answer.
    static func stream(
        _ mediaType: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        byteCount: Int? = nil,
        for context: LocalRequestContext,
        _ write: @escaping @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        var headers = headers
        headers[.contentType] = mediaType
        headers[.cacheControl] = "no-store"
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(contentLength: byteCount) { writer in
                do {
                    try await write(&writer)
                } catch let error as NodeError {
                    context.logger.error("an answer was interrupted", metadata: ["error": "\(error)"])
                    throw error
                }
            }
        )
    }
}
