import FoundationEssentials
import KairanInterface
import Node
import Wire

extension SchemaStatus {
    /// The object.
    var json: JSONValue {
        [
            "container": .string(container), "development": development.interfaceJSON,
            "production": production?.interfaceJSON ?? .null,
        ]
    }
}

extension SchemaDifferenceStatus {
    /// The object.
    var json: JSONValue {
        [
            "type": .string(type), "field": field.map { .string($0) } ?? .null, "aspect": .string(aspect),
            "change": .string(change), "refused": .bool(refusal != nil),
            "reason": refusal.map { .string($0) } ?? .null,
        ]
    }
}

extension PromotionStatus {
    /// The object.
    var json: JSONValue {
        [
            "container": .string(container), "production": production.interfaceJSON,
            "zones": .array(zones.map { .string($0.text) }),
        ]
    }
}

extension Schema {
    /// The schema in the form of the interface; reading it back gives the same one.
    var interfaceJSON: JSONValue {
        .object(
            [JSONMember("types", .object(types.map { JSONMember($0.name.string, $0.interfaceJSON) }))]
                + unknown.interfaceJSON
        )
    }
}

extension RecordTypeSchema {
    fileprivate var interfaceJSON: JSONValue {
        .object(
            [JSONMember("fields", .object(fields.map { JSONMember($0.name.string, $0.interfaceJSON) }))]
                + (conflicts == .keep ? [] : [JSONMember("conflicts", .string(conflicts.rawValue))])
                + unknown.interfaceJSON
        )
    }
}

extension FieldSchema {
    /// The field's declaration as JSON, without members for attributes that are not set.
    fileprivate var interfaceJSON: JSONValue {
        var members = [JSONMember("kind", .string(kind.name))]
        if isRequired { members.append(JSONMember("required", true)) }
        if let element { members.append(JSONMember("elements", .string(element.name))) }
        if let minimum { members.append(JSONMember("minimum", minimum.interfaceJSON)) }
        if let maximum { members.append(JSONMember("maximum", maximum.interfaceJSON)) }
        if let lengthMinimum { members.append(JSONMember("length_minimum", .integer(Int64(clamping: lengthMinimum)))) }
        if let lengthMaximum { members.append(JSONMember("length_maximum", .integer(Int64(clamping: lengthMaximum)))) }
        if !values.isEmpty { members.append(JSONMember("values", .array(values.map(\.interfaceJSON)))) }
        let kinds = indexes.names
        if !kinds.isEmpty { members.append(JSONMember("indexes", .array(kinds.map { .string($0) }))) }
        return .object(members + unknown.interfaceJSON)
    }
}

extension IndexKinds {
    /// Each kind with its name, in the order in which they are written.
    static let named: [(kind: IndexKinds, name: String)] = [(.value, "value"), (.text, "text")]

    fileprivate var names: [String] { Self.named.filter { contains($0.kind) }.map(\.name) }
}

extension [SchemaAttribute] {
    /// The member with the attributes that this version does not know, if there are any.
    fileprivate var interfaceJSON: [JSONMember] {
        guard !isEmpty else { return [] }
        return [
            JSONMember(
                "unknown",
                .array(
                    map {
                        [
                            "tag": .string($0.tag.description),
                            "bytes": .string(Data($0.payload).base64EncodedString()),
                        ]
                    }
                )
            )
        ]
    }
}
