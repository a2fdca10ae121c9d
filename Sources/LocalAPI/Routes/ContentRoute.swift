import HTTPTypes
import Hummingbird
import NIOCore
import Node

/// The raw content of a message or an asset, or a range of it.
struct ContentRoute<Source: ContentSource>: Sendable {
    private let source: Source

    init(_ source: Source) {
        self.source = source
    }

    /// Starts the answer with the first part, so that an error there has a status of its own; a later error breaks
    /// the connection, and the reader notices from the length that a part is missing.
    func response(to request: Request, _ context: LocalRequestContext) async throws -> Response {
        let (range, first) = try await begin(request)
        var headers = source.headers(first)
        headers[.acceptRanges] = "bytes"
        var bounds = 0..<first.byteCount
        if let range {
            guard let wanted = range.bounds(of: first.byteCount) else {
                throw RequestError.rangeUnsatisfiable(size: first.byteCount)
            }
            bounds = wanted
            headers[.contentRange] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(first.byteCount)"
        }
        let (source, wanted) = (source, bounds)
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
                if offset > wanted.lowerBound { part = try await source.part(from: offset) }
                // A record that was changed meanwhile names other content: the rest of that is no rest of this.
                guard part.validator == first.validator else { throw ContentFault.changed }
                let bytes = part.bytes.prefix(Int(clamping: wanted.upperBound - offset))
                guard !bytes.isEmpty else { throw ContentFault.tooShort }
                try await writer.write(ByteBuffer(bytes: bytes))
                try await context.taken()
                offset += UInt64(bytes.count)
            }
            try await writer.finish(nil)
        }
    }

    /// Reads the first part of the answer.
    /// - Returns: The range that begins with the part, and the part; without a range it begins the whole content.
    private func begin(_ request: Request) async throws -> (range: ByteRange?, first: ContentPart) {
        guard let range = ByteRange(of: request) else { return (nil, try await source.part(from: 0)) }
        let first = try await source.part(from: range.first)
        guard let condition = request.headers[.ifRange], condition != first.entityTag else { return (range, first) }
        // The caller has the beginning of other content, to which this is no rest (RFC 9110 §13.1.5).
        return (nil, try await source.part(from: 0))
    }
}

/// The reasons for which an answer with content breaks off.
private enum ContentFault {
    static let tooShort = NodeError(
        .internalError,
        "The content is shorter than announced.",
        fix: "Report this with the log."
    )

    static let changed = NodeError(
        .assetUnknown,
        "The field names another asset than before.",
        fix: "Read it from the beginning."
    )
}
