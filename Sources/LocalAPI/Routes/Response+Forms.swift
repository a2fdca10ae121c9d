import HTTPTypes
import Hummingbird
import KairanClient
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

    /// An answer that only says that it was done.
    static var noContent: Response { Response(status: .noContent) }

    /// An answer that is written while it comes into being.
    ///
    /// The closure ends the body with `finish`. An error breaks the connection off, so that half an answer does not
    /// look like a whole one.
    static func stream(
        _ mediaType: String,
        logger: Logger,
        _ write: @escaping @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                do {
                    try await write(&writer)
                } catch let error as NodeError {
                    logger.error("an answer was broken off", metadata: ["error": "\(error)"])
                    throw error
                }
            }
        )
    }
}
