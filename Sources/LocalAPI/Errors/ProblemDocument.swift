import HTTPTypes
import Hummingbird
package import KairanInterface
import NIOCore
package import Node

/// An error as the interface shows it (RFC 9457).
package struct ProblemDocument: Sendable {
    private let row: ErrorRow
    private let detail: String
    private let fix: String
    private let facts: [ErrorFact]
    /// Further members: records, and parts of the request.
    private var evidence: [JSONMember] = []

    /// The document of an error of the node.
    package init(_ error: NodeError) {
        row = ErrorTable.row(error.code)
        detail = error.message
        fix = error.fix
        facts = error.facts
        evidence = error.evidence?.members ?? []
    }

    /// The document of a refused request.
    package init(_ error: RequestError) {
        row = ErrorTable.row(error.code)
        detail = error.message
        fix = error.fix
        facts = error.facts
    }

    /// The document of any error; `nil` for an error that must not be shown to the caller.
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
                "The daemon has an internal error.",
                fix: "Look at its log (journalctl -u kairand) and report the entry."
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
        return .object(standard + facts.map(\.member) + evidence)
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

    /// The details of this occurrence.
    var message: String { detail }

    /// The time to wait before trying again: one second, unless the problem contains a longer time.
    private var retryAfterSeconds: UInt64 {
        for case .retryAfter(let milliseconds) in facts { return max(1, (milliseconds + 999) / 1_000) }
        return 1
    }

    /// The answer that carries the document.
    var response: Response {
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if row.isRetryable { headers[.retryAfter] = "\(retryAfterSeconds)" }
        // RFC 9110 §15.5.2: an answer with 401 must state how to authenticate.
        if row.status == HTTPResponse.Status.unauthorized.code { headers[.wwwAuthenticate] = "Bearer" }
        for fact in facts {
            switch fact {
            case .allow(let methods): headers[.allow] = methods.joined(separator: ", ")
            case .size(let size): headers[.contentRange] = "bytes */\(size)"
            default: break
            }
        }
        return Response(
            status: HTTPResponse.Status(code: row.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.encoded))
        )
    }
}
