import FoundationEssentials
import KairanClient
import Yams

/// A schema of `docs/api/openapi.yaml`, with which a value can be compared.
///
/// It knows the part of JSON Schema that the description uses; an unknown word is an error, so that none is passed
/// over.
struct DescribedSchema {
    private let document: Node
    private let schema: Node

    /// - Parameters:
    ///   - name: The schema's name among the components.
    ///   - yaml: The description.
    /// - Throws: An error of the YAML parser, or `DescribedOperation.Unreadable` where there is no such schema.
    init(_ name: String, in yaml: String) throws {
        guard let document = try Yams.compose(yaml: yaml), let schema = document["components"]?["schemas"]?[name] else {
            throw DescribedOperation.Unreadable(place: name)
        }
        self.document = document
        self.schema = schema
    }

    /// Returns the places where a value is not as described.
    /// - Parameters:
    ///   - value: The value.
    ///   - isClosed: Whether a member that is not described is a mistake of its own, also where the description
    ///     allows any.
    /// - Returns: The mistakes, each with its place; none if the value fits.
    /// - Throws: `DescribedOperation.Unreadable` for a word of JSON Schema that is not known here.
    func mistakes(in value: JSONValue, isClosed: Bool = false) throws -> [String] {
        try Holder(document: document, isClosed: isClosed).mistakes(in: value, schema, at: "")
    }

    /// The names of the members that an object has, as far as they are described.
    var memberNames: [String] { schema["properties"]?.mapping?.keys.compactMap(\.string) ?? [] }

    /// The members that an object has, those of all parts of an `allOf` too.
    /// - Returns: The members by name.
    /// - Throws: `DescribedOperation.Unreadable` for a reference to nothing.
    func members() throws -> [String: DescribedMember] {
        let holder = Holder(document: document, isClosed: false)
        let parts = try [schema] + (schema["allOf"]?.sequence ?? []).map { try holder.whole($0) }
        var members: [String: DescribedMember] = [:]
        for part in parts {
            let required = part["required"]?.sequence?.compactMap(\.string) ?? []
            for (key, word) in part["properties"]?.mapping ?? [:] {
                let name = key.string ?? ""
                var member = DescribedMember(isRequired: required.contains(name))
                try holder.describe(word, in: &member)
                members[name] = member
            }
        }
        return members
    }

    /// The names of the schemas for objects with members.
    /// - Parameter yaml: The description.
    /// - Returns: The names.
    /// - Throws: An error of the YAML parser.
    static func objects(in yaml: String) throws -> Set<String> {
        let schemas = try Yams.compose(yaml: yaml)?["components"]?["schemas"]?.mapping ?? [:]
        return Set(schemas.filter { $0.value["properties"] != nil }.compactMap { $0.key.string })
    }
}

/// A member of an object, as it is described.
struct DescribedMember {
    var isRequired: Bool
    /// The types that it may have, without null; empty for any.
    var types: Set<String> = []
    var isNullable = false
    /// The words that it, or each of its elements, may be.
    var words: Set<String>?
}

/// One comparison.
private struct Holder {
    let document: Node
    let isClosed: Bool

    /// Words that state nothing about the value, or nothing that has to be checked here.
    private static let passedOver: Set<String> = [
        "description", "default", "format", "contentEncoding", "readOnly", "title", "propertyNames", "then", "else",
    ]

    func mistakes(in value: JSONValue, _ schema: Node, at place: String) throws -> [String] {
        var found: [String] = []
        for (key, word) in schema.mapping ?? [:] {
            let name = key.string ?? ""
            if Self.passedOver.contains(name) || name.hasPrefix("x-") { continue }
            found += try mistakes(in: value, name, word, schema, at: place)
        }
        return found
    }

    private func mistakes(
        in value: JSONValue,
        _ name: String,
        _ word: Node,
        _ schema: Node,
        at place: String
    ) throws -> [String] {
        func unless(_ holds: Bool) -> [String] {
            holds ? [] : ["\(place): \(BadInputAsker.text(value)) breaks \(name)"]
        }
        switch name {
        case "$ref": return try mistakes(in: value, resolved(word), at: place)
        case "type":
            let types = word.sequence?.compactMap(\.string) ?? [word.string ?? ""]
            return unless(types.contains { Self.isType($0, value) })
        case "enum": return unless(word.sequence?.contains { Self.isSame($0, value) } == true)
        case "const": return unless(Self.isSame(word, value))
        case "oneOf", "anyOf":
            let fitting = try (word.sequence ?? []).count { try mistakes(in: value, $0, at: place).isEmpty }
            return unless(name == "oneOf" ? fitting == 1 : fitting > 0)
        case "allOf": return try (word.sequence ?? []).flatMap { try mistakes(in: value, $0, at: place) }
        case "required":
            guard let members = value.members else { return [] }
            return unless((word.sequence ?? []).allSatisfy { name in members.contains { $0.name == name.string } })
        case "properties": return try members(value, word, schema, at: place)
        case "additionalProperties":
            let known = schema["properties"]?.mapping?.keys.compactMap(\.string) ?? []
            let others = (value.members ?? []).filter { !known.contains($0.name) }
            if word.bool == false { return unless(others.isEmpty) }
            guard word.mapping != nil else { return [] }
            return try others.flatMap { try mistakes(in: $0.value, word, at: "\(place).\($0.name)") }
        case "items":
            return try (value.elements ?? []).enumerated().flatMap { index, element in
                try mistakes(in: element, word, at: "\(place)[\(index)]")
            }
        case "if":
            let branch = try mistakes(in: value, word, at: place).isEmpty ? schema["then"] : schema["else"]
            return try branch.map { try mistakes(in: value, $0, at: place) } ?? []
        case "minItems": return unless((value.elements?.count ?? .max) >= word.int ?? .max)
        case "maxItems": return unless((value.elements?.count ?? 0) <= word.int ?? 0)
        case "uniqueItems": return unless(Set(value.elements ?? []).count == value.elements?.count ?? 0)
        case "minLength": return unless((value.text?.unicodeScalars.count ?? .max) >= word.int ?? .max)
        case "maxLength": return unless((value.text?.unicodeScalars.count ?? 0) <= word.int ?? 0)
        case "minimum": return unless(Self.number(value).map { $0 >= word.float ?? .infinity } ?? true)
        case "maximum": return unless(Self.number(value).map { $0 <= word.float ?? -.infinity } ?? true)
        case "pattern":
            guard let text = value.text else { return [] }
            return unless(try text.contains(Regex(word.string ?? "")))
        default: throw DescribedOperation.Unreadable(place: "\(place): \(name)")
        }
    }

    private func members(_ value: JSONValue, _ word: Node, _ schema: Node, at place: String) throws -> [String] {
        try (value.members ?? []).flatMap { member -> [String] in
            if let described = word[member.name] {
                return try mistakes(in: member.value, described, at: "\(place).\(member.name)")
            }
            return isClosed && schema["additionalProperties"] == nil ? ["\(place).\(member.name) is not described"] : []
        }
    }

    /// Follows a reference, if a schema is one.
    func whole(_ schema: Node) throws -> Node { try schema["$ref"].map { try whole(resolved($0)) } ?? schema }

    /// Adds the types and words of a schema to a member.
    func describe(_ schema: Node, in member: inout DescribedMember) throws {
        let schema = try whole(schema)
        for alternative in schema["oneOf"]?.sequence ?? [] { try describe(alternative, in: &member) }
        let types = schema["type"]?.sequence?.compactMap(\.string) ?? schema["type"]?.string.map { [$0] } ?? []
        member.isNullable = member.isNullable || types.contains("null")
        member.types.formUnion(types.filter { $0 != "null" })
        let words = schema["enum"]?.sequence?.compactMap(\.string) ?? schema["const"]?.string.map { [$0] }
        if let words { member.words = (member.words ?? []).union(words) }
        if let items = schema["items"] {
            var element = DescribedMember(isRequired: true)
            try describe(items, in: &element)
            member.words = element.words
        }
    }

    private func resolved(_ reference: Node) throws -> Node {
        var node = document
        for name in (reference.string ?? "").split(separator: "/").dropFirst() {
            guard let next = node[String(name)] else {
                throw DescribedOperation.Unreadable(place: reference.string ?? "$ref")
            }
            node = next
        }
        return node
    }

    private static func isType(_ type: String, _ value: JSONValue) -> Bool {
        switch value {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .integer: type == "integer" || type == "number"
        case .number: type == "number"
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }

    private static func isSame(_ node: Node, _ value: JSONValue) -> Bool {
        switch value {
        case .null: node.null != nil
        case .bool(let flag): node.bool == flag
        case .integer(let number): node.int == Int(number)
        case .number(let number): node.float == number
        case .string(let text): node.string == text
        case .array, .object: false
        }
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
