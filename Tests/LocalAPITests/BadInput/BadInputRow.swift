@testable import LocalAPI

/// What a request of one endpoint looks like, so that it can be spoilt in every way: an endpoint that is added fails until
/// somebody has said so here.
///
/// What a caller may not do at all is the matter of `AccessRow`.
struct BadInputRow: Sendable {
    let endpoint: String
    /// A body as it should be; empty where none is read.
    let body: String
    /// Whether the body may be left out.
    let isBodyOptional: Bool
    /// What is answered when a segment of the path names nothing that there is; a zone is `zone.unknown` everywhere.
    let unknown: [String: String]
    /// Values of the right type that are not allowed all the same, as JSON, by the member's name.
    let outOfRange: [String: [String]]
    /// Whole bodies that are not allowed, where the members alone do not say it all.
    let spoilt: [String]
    /// A body with a condition that does not hold.
    let stale: String?
    /// Predicates that are none, for the member `where`.
    let predicates: [String]
    /// The bytes that a body may have.
    let limit: Int

    init(
        _ endpoint: String,
        body: String = "",
        isBodyOptional: Bool = false,
        unknown: [String: String] = [:],
        outOfRange: [String: [String]] = [:],
        spoilt: [String] = [],
        stale: String? = nil,
        predicates: [String] = [],
        limit: Int = RequestBodyLimit.small
    ) {
        self.endpoint = endpoint
        self.body = body
        self.isBodyOptional = isBodyOptional
        self.unknown = unknown
        self.outOfRange = outOfRange
        self.spoilt = spoilt
        self.stale = stale
        self.predicates = predicates
        self.limit = limit
    }

    var method: String { String(endpoint.prefix { $0 != " " }) }
    var path: String { String(endpoint.drop { $0 != " " }.dropFirst()) }
    /// Whether the body is an array; all others are objects.
    var takesArray: Bool { body.hasPrefix("[") }
    /// What is JSON, and never a body here.
    var otherJSON: String { takesArray ? "{}" : "[]" }
    /// The names in braces.
    var placeholders: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// What the path's names stand for in the node of the tests, as far as there is such a thing.
    static let names = ["zone": "notes", "name": "n1", "container": "org.example.notes"]

    /// The path with names in it.
    /// - Parameter names: Other names than usual, percent-encoded.
    /// - Returns: The path.
    func path(naming names: [String: String] = [:]) -> String {
        placeholders.reduce(path) { path, name in
            let text = names[name] ?? Self.names[name] ?? "none"
            return path.replacing("{\(name)}", with: text)
        }
    }
}
