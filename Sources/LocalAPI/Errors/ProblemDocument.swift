import HTTPTypes
import Hummingbird
package import KairanClient
import NIOCore
package import Node

/// An error as the interface shows it (RFC 9457).
package struct ProblemDocument: Sendable {
    private let row: ErrorRow
    private let detail: String
    private let fix: String
    private let details: [String: String]
    /// Members that are more than text.
    private var evidence: [JSONMember] = []

    /// The document of an error of the node.
    package init(_ error: NodeError) {
        row = ErrorTable.row(error.code)
        detail = error.message
        fix = error.fix
        details = error.details
        evidence = error.evidence?.members ?? []
    }

    /// The document of a refused request.
    package init(_ error: RequestError) {
        row = ErrorTable.row(error.code)
        detail = error.message
        fix = error.fix
        details = error.details
    }

    /// The document of any error; `nil` when it is none that a caller can be told about.
    init?(known error: any Error) {
        switch error {
        case let error as NodeError: self.init(error)
        case let error as RequestError: self.init(error)
        default: return nil
        }
    }

    /// The document of a mistake of ours: the caller learns nothing but that.
    static var internalError: ProblemDocument {
        ProblemDocument(
            NodeError(
                .internalError,
                "The daemon made a mistake.",
                fix: "Look into its log (journalctl -u kairand) and report what it says there."
            )
        )
    }

    /// The document's JSON: the standard members first, then the facts by name.
    package var json: JSONValue {
        let standard: [JSONMember] = [
            JSONMember("type", .string("https://kairan.invalid/problems/\(row.code)")),
            JSONMember("title", .string(row.title)),
            JSONMember("status", .integer(Int64(row.status))),
            JSONMember("code", .string(row.code)),
            JSONMember("detail", .string(detail)),
            JSONMember("fix", .string(fix)),
            JSONMember("retryable", .bool(row.isRetryable)),
        ]
        let names = Set(standard.map(\.name))
        let facts = details.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }
        return .object(standard + facts.map { JSONMember($0.key, .string($0.value)) } + evidence)
    }

    /// The document with one more member.
    func adding(_ name: String, _ value: JSONValue) -> ProblemDocument {
        var document = self
        document.evidence.append(JSONMember(name, value))
        return document
    }

    /// Whether the same request may succeed later.
    var isRetryable: Bool { row.isRetryable }

    /// The stable code.
    var code: String { row.code }

    /// What was wrong.
    var message: String { detail }

    /// When to try again: at once means in a second, unless the problem says more.
    private var retryAfterSeconds: UInt64 {
        let milliseconds = details["retry_after_ms"].flatMap { UInt64($0) } ?? 0
        return max(1, (milliseconds + 999) / 1_000)
    }

    /// The answer that carries the document.
    var response: Response {
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if row.isRetryable { headers[.retryAfter] = "\(retryAfterSeconds)" }
        // RFC 9110 §15.5.2: whoever answers 401 says how to do better.
        if row.status == HTTPResponse.Status.unauthorized.code { headers[.wwwAuthenticate] = "Bearer" }
        if row.code == RequestError.Code.methodNotAllowed.rawValue { headers[.allow] = details["allow"] }
        if row.code == RequestError.Code.rangeUnsatisfiable.rawValue {
            headers[.contentRange] = details["size"].map { "bytes */\($0)" }
        }
        return Response(
            status: HTTPResponse.Status(code: row.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.encoded))
        )
    }
}
