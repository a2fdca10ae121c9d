import KairanInterface
import Node
import Wire

extension RecordDraft {
    /// The members that a write may have.
    private static let members = [
        "type", "fields", "remove", "increment", "add_to", "remove_from", "parent", "replace", "if_version",
    ]

    /// Reads a write.
    /// - Parameters:
    ///   - json: The JSON value of the request.
    ///   - name: The record's name if it is known from elsewhere; otherwise the object must have it.
    ///   - path: The place of the write, for messages.
    ///   - ignored: Further members that the object may have.
    /// - Throws: `invalidArgument` with the place of the first mistake.
    init(
        interfaceJSON json: JSONValue,
        name: String? = nil,
        at path: String = "",
        ignoring ignored: [String] = []
    ) throws(NodeError) {
        let allowed = Self.members + (name == nil ? ["name", "delete"] : []) + ignored
        let object = try RequestObject(json, at: path, allowing: allowed)
        let ownName = if let name { name } else { try object.requiredText("name") }
        self.init(
            name: ownName,
            type: try object.name("type"),
            fields: try Self.fields(object["fields"] ?? .object([]), at: object.place("fields")),
            removed: try object.texts("remove"),
            increments: try object.increments("increment"),
            insertions: try object.elements("add_to"),
            withdrawals: try object.elements("remove_from"),
            parent: try object.parent("parent"),
            replacesAll: try object.flag("replace"),
            isDeletion: try object.flag("delete"),
            ifVersion: try object.text("if_version")
        )
        if isDeletion, !saysOnlyDeletion {
            throw .invalid(object.place("delete"), "a deletion has no other members")
        }
    }

    private var saysOnlyDeletion: Bool {
        type == nil && fields.isEmpty && removed.isEmpty && increments.isEmpty && insertions.isEmpty
            && withdrawals.isEmpty && parent == .keep && !replacesAll
    }

    /// Reads the fields of a record.
    static func fields(
        _ json: JSONValue,
        at path: String
    ) throws(NodeError) -> [(name: String, value: FieldValue)] {
        guard let members = json.members else {
            throw .invalid(path, "an object is expected, not \(json.kindName)")
        }
        guard members.count <= Limits.fieldCountMax else {
            throw .invalid(path, "a record has at most \(Limits.fieldCountMax) fields")
        }
        var fields: [(name: String, value: FieldValue)] = []
        fields.reserveCapacity(members.count)
        for member in members {
            let place = "\(path).\(member.name)"
            try RequestObject.check(fieldName: member.name, at: place)
            fields.append((member.name, try FieldValue(interfaceJSON: member.value, at: place)))
        }
        return fields
    }
}

extension RequestObject {
    /// Refuses a name that no field can have.
    fileprivate static func check(fieldName name: String, at path: String) throws(NodeError) {
        if let mistake = NameRule.mistake(in: name) { throw .invalid(path, mistake) }
    }

    /// A name.
    fileprivate func name(_ member: String) throws(NodeError) -> String? {
        guard let name = try text(member) else { return nil }
        if let mistake = NameRule.mistake(in: name) { throw .invalid(place(member), mistake) }
        return name
    }

    /// Reads the amounts to add to counters: an object of integers.
    fileprivate func increments(_ member: String) throws(NodeError) -> [(name: String, amount: Int64)] {
        guard let value = self[member] else { return [] }
        var increments: [(name: String, amount: Int64)] = []
        for field in try members(of: value, at: place(member)) {
            let path = "\(place(member)).\(field.name)"
            try Self.check(fieldName: field.name, at: path)
            guard let amount = field.value.wholeNumber ?? Int64(interfaceJSON: field.value) else {
                throw .invalid(path, "an integer is expected")
            }
            increments.append((field.name, amount))
        }
        return increments
    }

    /// Reads the elements that enter or leave sets: an object of arrays.
    fileprivate func elements(_ member: String) throws(NodeError) -> [(name: String, elements: [FieldValue])] {
        guard let value = self[member] else { return [] }
        var changes: [(name: String, elements: [FieldValue])] = []
        for field in try members(of: value, at: place(member)) {
            let path = "\(place(member)).\(field.name)"
            try Self.check(fieldName: field.name, at: path)
            // The elements of a change must be values that a set may hold.
            let set = try FieldValue(interfaceJSON: ["$set": field.value], at: path)
            guard case .set(let state) = set else { throw .invalid(path, "an array is expected") }
            changes.append((field.name, state.entries.map(\.element)))
        }
        return changes
    }

    /// Reads the change to the parent: a name, `null` for none, or no member for no change.
    fileprivate func parent(_ member: String) throws(NodeError) -> ParentChange {
        guard let value = self[member], value != .null else { return self[member] == nil ? .keep : .clear }
        return try name(member).map(ParentChange.set) ?? .keep
    }

    private func members(of value: JSONValue, at path: String) throws(NodeError) -> [JSONMember] {
        guard let members = value.members else {
            throw .invalid(path, "an object is expected, not \(value.kindName)")
        }
        return members
    }
}
