import KairanInterface
import Node
import Wire

extension RecordView {
    var json: JSONValue {
        [
            "zone": .string(zone.text),
            "name": .string(name),
            "type": .string(type),
            "fields": FieldValue.interfaceJSON(fields),
            "version": .string(version),
            "deleted": .bool(isDeleted),
            "created_by": .string(createdBy.text),
            "modified_by": .string(modifiedBy.text),
            "modified_at": .string(RFC3339.text(milliseconds: Int64(clamping: modifiedMilliseconds))),
            "conflicts": .integer(Int64(conflicts)),
            "parent": JSONValue(parent),
        ]
    }

    /// A line of an export.
    var exportJSON: JSONValue {
        var members = [
            JSONMember("name", .string(name)), JSONMember("type", .string(type)),
            JSONMember("fields", FieldValue.interfaceJSON(fields)), JSONMember("version", .string(version)),
        ]
        if let parent { members.append(JSONMember("parent", .string(parent))) }
        return .object(members)
    }
}

extension RecordViewPage {
    var json: JSONValue {
        ["records": .array(records.map(\.json)), "next": JSONValue(next)]
    }
}

extension ChangeView {
    var json: JSONValue { .object(members) }

    var members: [JSONMember] {
        [
            JSONMember("kind", .string(kind.rawValue)),
            JSONMember("record", record.json),
            JSONMember("by_sync", .bool(bySync)),
        ]
    }
}

extension ChangePage {
    /// The page as a JSON object.
    /// - Parameter names: Names the accounts of its zones; its records say nothing of accounts.
    /// - Returns: An object.
    /// - Throws: As the encoding of a zone.
    func json(naming names: (JSONValue) -> JSONValue) throws -> JSONValue {
        [
            "zones": names(try zones.json),
            "changes": .array(changes.map(\.json)),
            "token": .string(token),
            "more": .bool(more),
        ]
    }
}

extension SiblingView {
    var json: JSONValue {
        ["version": .string(version), "by": .string(by.text), "fields": FieldValue.interfaceJSON(fields)]
    }
}

extension ConflictView {
    var json: JSONValue {
        [
            "zone": .string(zone.text),
            "name": .string(name),
            "siblings": .array(siblings.map(\.json)),
            "ancestor": ancestor?.json ?? .null,
        ]
    }
}

extension ConflictViewPage {
    var json: JSONValue {
        let members = [JSONMember("conflicts", .array(conflicts.map(\.json)))]
        return .object(members + (cursor.map { [JSONMember("cursor", .string($0))] } ?? []))
    }
}

extension JSONValue {
    /// A text or `null`.
    init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }
}
