import FoundationEssentials
import KairanInterface
import Node
import Wire

extension Schema {
    /// Reads a schema in the form of the interface.
    /// - Parameter json: The JSON value of the request.
    /// - Throws: `invalidArgument` with the path of the first mistake.
    init(interfaceJSON json: JSONValue) throws(NodeError) {
        let object = try RequestObject(json, allowing: ["types", "unknown"])
        var types: [RecordTypeSchema] = []
        for member in try object.namedMembers("types", maximum: Limits.schemaTypeCountMax) {
            types.append(try RecordTypeSchema(member, at: "types.\(member.name)"))
        }
        self.init(types: types, unknown: try object.schemaAttributes())
    }
}

extension RecordTypeSchema {
    fileprivate init(_ member: JSONMember, at path: String) throws(NodeError) {
        let object = try RequestObject(member.value, at: path, allowing: ["fields", "conflicts", "unknown"])
        var fields: [FieldSchema] = []
        for field in try object.namedMembers("fields", maximum: Limits.schemaFieldCountMax) {
            fields.append(try FieldSchema(field, at: "\(path).fields.\(field.name)"))
        }
        self.init(
            name: member.name,
            fields: fields,
            conflicts: try object.conflictPolicy(),
            unknown: try object.schemaAttributes()
        )
        do throws(WireError) {
            _ = try checkedEncoding()
        } catch {
            throw .invalid(path, "this does not fit together: \(error)")
        }
    }
}

extension FieldSchema {
    private static let members = [
        "kind", "required", "elements", "minimum", "maximum", "length_minimum", "length_maximum", "values", "indexes",
        "unknown",
    ]

    fileprivate init(_ member: JSONMember, at path: String) throws(NodeError) {
        let object = try RequestObject(member.value, at: path, allowing: Self.members)
        let kind = try object.kind(try object.requiredText("kind"), "kind")
        self.init(
            name: member.name,
            kind: kind,
            isRequired: try object.flag("required"),
            element: try object.text("elements").map { text throws(NodeError) in try object.kind(text, "elements") },
            minimum: try object.bound("minimum", kind),
            maximum: try object.bound("maximum", kind),
            lengthMinimum: try object.length("length_minimum"),
            lengthMaximum: try object.length("length_maximum"),
            values: try object.enumeration(kind),
            indexes: try object.indexes(),
            unknown: try object.schemaAttributes()
        )
        do throws(WireError) {
            _ = try checkedEncoding()
        } catch {
            throw .invalid(path, "this does not fit together: \(error)")
        }
    }
}

extension RequestObject {
    /// The members of an object with arbitrary names; none when the object is missing.
    fileprivate func namedMembers(_ name: String, maximum: Int) throws(NodeError) -> [JSONMember] {
        guard let value = self[name] else { return [] }
        guard let members = value.members else {
            throw .invalid(place(name), "an object is expected, not \(value.kindName)")
        }
        guard members.count <= maximum else { throw .invalid(place(name), "it has at most \(maximum) members") }
        for member in members where !(1...Limits.nameByteCountMax).contains(member.name.utf8.count) {
            throw .invalid(place(name), "a name has 1 to \(Limits.nameByteCountMax) bytes")
        }
        return members
    }

    fileprivate func conflictPolicy() throws(NodeError) -> ConflictPolicy {
        guard let text = try text("conflicts") else { return .keep }
        guard let policy = ConflictPolicy(rawValue: text) else {
            throw .invalid(place("conflicts"), "keep or latest is expected")
        }
        return policy
    }

    fileprivate func kind(_ text: String, _ name: String) throws(NodeError) -> FieldKind {
        if let kind = FieldKind(name: text) { return kind }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == "kind", let tag = UInt64(parts[1]), tag >= FieldValue.firstUnknownTag,
            let kind = FieldKind(tag: tag), kind.name == text
        {
            return kind
        }
        throw .invalid(place(name), "there is no kind \"\(text.prefix(40))\"")
    }

    fileprivate func bound(_ name: String, _ kind: FieldKind) throws(NodeError) -> FieldValue? {
        guard let value = self[name] else { return nil }
        return try schemaValue(value, kind, place(name))
    }

    fileprivate func length(_ name: String) throws(NodeError) -> UInt64? {
        guard self[name] != nil else { return nil }
        return UInt64(try number(name, in: 0...Int64.max, default: 0))
    }

    fileprivate func enumeration(_ kind: FieldKind) throws(NodeError) -> [FieldValue] {
        guard let value = self["values"] else { return [] }
        guard let elements = value.elements, !elements.isEmpty else {
            throw .invalid(place("values"), "an array of at least one value is expected")
        }
        var values: [FieldValue] = []
        for (index, element) in elements.enumerated() {
            values.append(try schemaValue(element, kind, "\(place("values"))[\(index)]"))
        }
        return values
    }

    /// A value of a kind; a double may be written without a point.
    private func schemaValue(_ json: JSONValue, _ kind: FieldKind, _ path: String) throws(NodeError) -> FieldValue {
        let value = try FieldValue(interfaceJSON: json, at: path)
        switch value {
        case .int64(let number) where kind == .double: return .double(Double(number))
        // There is one zero.
        case .double(let number) where number.isZero: return .double(0)
        default: return value
        }
    }

    fileprivate func indexes() throws(NodeError) -> IndexKinds {
        var indexes: IndexKinds = []
        for name in try texts("indexes") {
            guard let kind = IndexKinds.named.first(where: { $0.name == name })?.kind else {
                throw .invalid(place("indexes"), "value or text is expected")
            }
            indexes.insert(kind)
        }
        return indexes
    }

    /// Reads the attributes that a later version declared, in the form in which this version shows them.
    fileprivate func schemaAttributes() throws(NodeError) -> [SchemaAttribute] {
        guard let value = self["unknown"] else { return [] }
        guard let elements = value.elements else { throw .invalid(place("unknown"), "an array is expected") }
        var attributes: [SchemaAttribute] = []
        for (index, element) in elements.enumerated() {
            let path = "\(place("unknown"))[\(index)]"
            let object = try RequestObject(element, at: path, allowing: ["tag", "bytes"])
            guard let tag = UInt64(try object.requiredText("tag")),
                let bytes = Data(base64Encoded: try object.requiredText("bytes"))
            else { throw .invalid(path, "a tag in decimal digits and bytes in base64 are expected") }
            attributes.append(SchemaAttribute(tag: tag, payload: Array(bytes)))
        }
        return attributes
    }
}
