/// One write to one record.
public struct RecordWrite: Sendable, Hashable {
    /// A change to a record's parent.
    public enum ParentChange: Sendable, Hashable {
        /// It stays.
        case keep
        /// It becomes the record of this name.
        case set(String)
        /// It is taken away.
        case clear
    }

    /// The record's name, 1...255 bytes of UTF-8.
    @Name public var name: String
    /// Its type; `nil` keeps it.
    public var type: String?
    /// Fields to set; the others stay.
    public var fields: NameDictionary<RecordValue>
    /// Fields to remove.
    public var removedFields: [String]
    /// The amounts added to counters, by field; concurrent additions add up.
    public var increments: NameDictionary<Int64> = [:]
    /// Elements that enter sets, by field.
    public var insertions: NameDictionary<[RecordValue]> = [:]
    /// Elements that leave sets, by field.
    public var withdrawals: NameDictionary<[RecordValue]> = [:]
    /// The change to the record's parent.
    public var parent: ParentChange = .keep
    /// Whether fields that are not named are dropped.
    public var replacesAll: Bool
    /// Whether the record is deleted; then nothing else is set.
    public var isDeletion: Bool
    /// Refuse unless the record's version is this; `""` refuses if the record exists.
    public var ifVersion: String?

    /// Makes a write.
    public init(
        _ name: String,
        type: String? = nil,
        fields: NameDictionary<RecordValue> = [:],
        removing removedFields: [String] = [],
        replacesAll: Bool = false,
        ifVersion: String? = nil
    ) {
        self.name = name
        self.type = type
        self.fields = fields
        self.removedFields = removedFields
        self.replacesAll = replacesAll
        self.isDeletion = false
        self.ifVersion = ifVersion
    }

    /// Makes a deletion.
    public static func deletion(_ name: String, ifVersion: String? = nil) -> RecordWrite {
        var write = RecordWrite(name, ifVersion: ifVersion)
        write.isDeletion = true
        return write
    }

    /// The write in the form of the interface; members that say nothing are left out.
    package var json: JSONValue {
        var members = [JSONMember("name", .string(name))]
        if let type { members.append(JSONMember("type", .string(type))) }
        if !fields.isEmpty { members.append(JSONMember("fields", Self.json(fields))) }
        if !removedFields.isEmpty {
            members.append(JSONMember("remove", .array(removedFields.map { .string($0) })))
        }
        if !increments.isEmpty {
            let amounts = increments.map { JSONMember($0.key, $0.value.interfaceJSON) }
            members.append(JSONMember("increment", .object(amounts)))
        }
        for (name, changes) in [("add_to", insertions), ("remove_from", withdrawals)] where !changes.isEmpty {
            members.append(JSONMember(name, Self.json(changes.mapValues(RecordValue.list))))
        }
        switch parent {
        case .keep: break
        case .set(let name): members.append(JSONMember("parent", .string(name)))
        case .clear: members.append(JSONMember("parent", .null))
        }
        if replacesAll { members.append(JSONMember("replace", true)) }
        if isDeletion { members.append(JSONMember("delete", true)) }
        if let ifVersion { members.append(JSONMember("if_version", .string(ifVersion))) }
        return .object(members)
    }

    /// Fields in the order of their names, so that equal writes have equal texts.
    package static func json(_ fields: NameDictionary<RecordValue>) -> JSONValue {
        .object(fields.map { JSONMember($0.key, $0.value.json) })
    }
}
