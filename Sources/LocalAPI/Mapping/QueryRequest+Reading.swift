import FoundationEssentials
import KairanInterface
package import Node
package import Queries

extension QueryRequest {
    /// Reads a query in the form of the interface.
    /// - Throws: `invalidArgument`, or `queryBadPredicate` with the place of the mistake.
    init(interfaceJSON json: JSONValue) throws(NodeError) {
        let object = try RequestObject(
            json,
            allowing: ["type", "where", "sort", "limit", "cursor", "desired_keys", "internal"]
        )
        let type = try Query.checkedType(object.requiredText("type"))
        var sort: [SortField] = []
        for (index, text) in try object.texts("sort").enumerated() {
            guard let field = SortField(text: text) else {
                throw .invalid(
                    "sort[\(index)]",
                    "a field, or @ and a system field, with - before it for the largest first"
                )
            }
            sort.append(field)
        }
        let predicate: Queries.Predicate? =
            if let text = try object.text("where") { try .init(interfaceText: text) } else { nil }
        self.init(
            query: Query(type: type, predicate: predicate, sort: sort),
            cursor: try object.text("cursor"),
            limit: Int(try object.number("limit", in: 1...Int64(QueryLimits.pageCountMax), default: 200)),
            desiredKeys: try object.desiredKeys(),
            showsInternal: try object.flag("internal")
        )
    }
}

extension Query {
    /// A type of records, if it can be one.
    static func checkedType(_ type: String) throws(NodeError) -> String {
        guard (1...255).contains(type.utf8.count) else { throw .invalid("type", "a name has 1 to 255 bytes") }
        return type
    }
}

extension Queries.Predicate {
    /// Reads a predicate of a request.
    /// - Parameter text: The text of the request.
    /// - Throws: `queryBadPredicate` with the place of the first mistake.
    package init(interfaceText text: String) throws(NodeError) {
        do {
            self = try PredicateParser.parse(text, forms: .interface)
        } catch {
            throw NodeError(
                .queryBadPredicate,
                "where, \(error.description).",
                fix: "Correct it there; /usr/share/doc/kairan/docs/api/queries.md has the grammar.",
                facts: [
                    .field("where"), .position(error.offset), .column(error.column), .found(error.found),
                    .expected(error.expected),
                ]
            )
        }
    }
}

extension LiteralForms {
    /// Dates and bytes as everywhere else in the interface.
    package static let interface = LiteralForms(
        readTime: { RFC3339.milliseconds($0) },
        writeTime: { RFC3339.text(milliseconds: $0) },
        readBytes: { Data(base64Encoded: $0).map { Array($0) } },
        writeBytes: { Data($0).base64EncodedString() }
    )
}

extension QueryView {
    var json: JSONValue {
        ["records": .array(records.map(\.json)), "cursor": JSONValue(cursor)]
    }
}
