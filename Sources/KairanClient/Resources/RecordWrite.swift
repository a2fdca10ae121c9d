/// One write to one record.
public struct RecordWrite: Sendable, Hashable {
    /// The record's name, 1...255 bytes of UTF-8.
    public var name: String
    /// Its type; `nil` keeps it.
    public var type: String?
    /// Fields to set; the others stay.
    public var fields: [String: RecordValue]
    /// Fields to remove.
    public var removedFields: [String]
    /// Whether fields that are not set are dropped.
    public var replacesAll: Bool
    /// Whether the record is deleted; then nothing else is set.
    public var isDeletion: Bool
    /// Refuse unless the record's version is this; `""` refuses if the record exists.
    public var ifVersion: String?

    /// Makes a write.
    public init(
        _ name: String,
        type: String? = nil,
        fields: [String: RecordValue] = [:],
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
        if replacesAll { members.append(JSONMember("replace", true)) }
        if isDeletion { members.append(JSONMember("delete", true)) }
        if let ifVersion { members.append(JSONMember("if_version", .string(ifVersion))) }
        return .object(members)
    }

    /// Fields in the order of their names, so that equal writes have equal texts.
    package static func json(_ fields: [String: RecordValue]) -> JSONValue {
        .object(fields.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value.json) })
    }
}
