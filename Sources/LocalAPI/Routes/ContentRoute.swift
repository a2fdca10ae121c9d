import HTTPTypes
import Hummingbird
import NIOCore
import Node

/// The raw content of a message, whether it is in its record or travels apart.
struct ContentRoute: Sendable {
    let payloads: any PayloadAPI
    let message: String

    /// Starts the answer with the first part, so that an error there has a status of its own; a later error breaks
    /// the connection, and the reader notices from the length that a part is missing.
    func response(to request: Request, _ context: LocalRequestContext) async throws -> Response {
        let range = ByteRange(of: request)
        let first = try await payloads.content(ofMessage: message, from: range?.first ?? 0)
        var headers: HTTPFields = [.acceptRanges: "bytes"]
        var bounds = 0..<first.byteCount
        if let range {
            guard let wanted = range.bounds(of: first.byteCount) else {
                throw RequestError.rangeUnsatisfiable(size: first.byteCount)
            }
            bounds = wanted
            headers[.contentRange] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(first.byteCount)"
        }
        let (payloads, message, wanted) = (payloads, message, bounds)
        return .stream(
            MediaType.checked(first.contentType),
            status: range == nil ? .ok : .partialContent,
            headers: headers,
            byteCount: wanted.count,
            for: context
        ) { writer in
            var part = first
            var offset = wanted.lowerBound
            while offset < wanted.upperBound {
                if offset > wanted.lowerBound { part = try await payloads.content(ofMessage: message, from: offset) }
                let bytes = part.bytes.prefix(Int(clamping: wanted.upperBound - offset))
                guard !bytes.isEmpty else { throw Self.tooShort }
                try await writer.write(ByteBuffer(bytes: bytes))
                try await context.taken()
                offset += UInt64(bytes.count)
            }
            try await writer.finish(nil)
        }
    }

    private static var tooShort: NodeError {
        NodeError(
            .internalError,
            "The content of a message is shorter than announced.",
            fix: "Report this with the log."
        )
    }
}
