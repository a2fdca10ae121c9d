import KairanClient
import Node
import Wire

extension RecordChange {
    /// Reads a write.
    /// - Parameters:
    ///   - json: What was written.
    ///   - name: The record's name when it is known from elsewhere; otherwise the object must have it.
    ///   - path: Where, for messages.
    ///   - ignored: Further members that may be there.
    /// - Throws: `invalidArgument` with the place of the first mistake.
    init(
        interfaceJSON json: JSONValue,
        name: String? = nil,
        at path: String = "",
        ignoring ignored: [String] = []
    ) throws(NodeError) {
        let known = ["type", "fields", "remove", "replace", "if_version"]
        let allowed = known + (name == nil ? ["name", "delete"] : []) + ignored
        let object = try RequestObject(json, at: path, allowing: allowed)
        let type = try object.text("type")
        let fields = try Self.fields(object["fields"] ?? .object([]), at: object.place("fields"))
        let removed = try object.texts("remove")
        let replacesAll = try object.flag("replace")
        let isDeletion = try object.flag("delete")
        if isDeletion, type != nil || !fields.isEmpty || !removed.isEmpty || replacesAll {
            throw .invalid(object.place("delete"), "a deletion sets nothing else")
        }
        let ownName = if let name { name } else { try object.requiredText("name") }
        self.init(
            name: ownName,
            type: type,
            fields: fields,
            removed: removed,
            replacesAll: replacesAll,
            isDeletion: isDeletion,
            ifVersion: try object.text("if_version")
        )
    }

    /// Reads the fields of a record.
    static func fields(
        _ json: JSONValue,
        at path: String
    ) throws(NodeError) -> [(name: String, value: FieldValue)] {
        guard let members = json.members else {
            throw .invalid(path, "an object is expected, not \(json.kindName)")
        }
        var fields: [(name: String, value: FieldValue)] = []
        fields.reserveCapacity(members.count)
        for member in members {
            let value = try FieldValue(interfaceJSON: member.value, at: "\(path).\(member.name)")
            fields.append((member.name, value))
        }
        return fields
    }
}
