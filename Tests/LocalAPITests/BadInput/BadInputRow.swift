@testable import LocalAPI

/// A valid request of one endpoint, from which every kind of invalid one is made: an endpoint that is added fails
/// until it is entered here.
///
/// Requests that a caller may not make at all are the matter of `AccessRow`.
struct BadInputRow: Sendable {
    let endpoint: String
    /// A body as it should be; empty where none is read.
    let body: String
    /// Whether the body may be left out.
    let isBodyOptional: Bool
    /// The codes of the answers when a segment of the path names nothing that exists; a zone is `zone.unknown`
    /// everywhere.
    let unknown: [String: String]
    /// Values of the right type that are not allowed all the same, as JSON, by the member's name.
    let outOfRange: [String: [String]]
    /// Whole bodies that are not allowed, where the members alone do not cover all cases.
    let spoilt: [String]
    /// A body with a condition that does not hold.
    let stale: String?
    /// Texts that are no predicates, for the member `where`.
    let predicates: [String]
    /// The number of bytes that a body may have.
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
    /// JSON that is never a body here.
    var otherJSON: String { takesArray ? "{}" : "[]" }
    /// The names in braces.
    var placeholders: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The values of the path's names in the node of the tests, as far as such things exist.
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
