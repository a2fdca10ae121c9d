import KairanInterface
import Node
import Queries
import Wire

extension FieldIndexStatus: ResourceView {
    var resource: FieldIndexSummary {
        FieldIndexSummary(
            type: index.type.string,
            field: index.field.text,
            kind: RecordSchema.IndexKind(rawValue: index.kind.rawValue),
            state: isReady ? .ready : .building,
            isDeclared: isDeclared
        )
    }
}

extension FieldIndex {
    /// Reads indexes in the form of the interface; `state` and `declared` are not looked at, so that an answer can be sent back.
    /// - Throws: `invalidArgument` with the place of the first that is none.
    static func list(interfaceJSON json: JSONValue) throws(NodeError) -> [FieldIndex] {
        let object = try RequestObject(json, allowing: ["indexes"])
        guard let elements = try object.required("indexes").elements else {
            throw .invalid("indexes", "an array is expected")
        }
        var indexes: [FieldIndex] = []
        for (index, element) in elements.enumerated() {
            indexes.append(try FieldIndex(interfaceJSON: element, at: "indexes[\(index)]"))
        }
        return indexes
    }

    private init(interfaceJSON json: JSONValue, at path: String) throws(NodeError) {
        let object = try RequestObject(json, at: path, allowing: ["type", "field", "kind", "state", "declared"])
        let type = try object.requiredText("type")
        guard (1...255).contains(type.utf8.count) else {
            throw .invalid(object.place("type"), "a name has 1 to 255 bytes")
        }
        guard let field = QueryField(text: try object.requiredText("field")) else {
            throw .invalid(object.place("field"), "a field, or @ and a system field, is expected")
        }
        guard let kind = Kind(rawValue: try object.text("kind") ?? "value") else {
            throw .invalid(object.place("kind"), "value or text is expected")
        }
        self.init(type: type, field: field, kind: kind)
    }
}
