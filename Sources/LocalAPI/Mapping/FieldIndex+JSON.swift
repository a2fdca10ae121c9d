import KairanClient
import Node
import Queries
import Wire

extension FieldIndexStatus {
    var json: JSONValue {
        [
            "type": .string(index.type.string),
            "field": .string(index.field.text),
            "kind": .string(index.kind.rawValue),
            "state": isReady ? "ready" : "building",
            "declared": .bool(isDeclared),
        ]
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
