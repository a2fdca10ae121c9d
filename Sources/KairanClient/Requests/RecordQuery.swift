/// A question about the records of one type in a zone.
public struct RecordQuery: Sendable, Hashable {
    /// The type of the records.
    public var type: String
    /// The condition, such as `priority >= 3 and title begins with "Re: "`; `nil` = all.
    public var predicate: String?
    /// The fields to sort by, each with `-` before it for the largest first; by name if there are none.
    public var sort: [String]
    /// The fields that the answer has; `nil` = all.
    public var desiredKeys: [String]?
    /// Whether the type may be one whose records daemons write by themselves.
    public var showsInternal = false

    /// Makes a question.
    public init(type: String, where predicate: String? = nil, sort: [String] = [], desiredKeys: [String]? = nil) {
        self.type = type
        self.predicate = predicate
        self.sort = sort
        self.desiredKeys = desiredKeys
    }
}

extension RecordQuery {
    /// The question as a request states it.
    func json(limit: Int, cursor: String?) -> JSONValue {
        var members = [JSONMember("type", .string(type))]
        if let predicate { members.append(JSONMember("where", .string(predicate))) }
        if !sort.isEmpty { members.append(JSONMember("sort", .array(sort.map(JSONValue.string)))) }
        if let desiredKeys { members.append(JSONMember("desired_keys", .array(desiredKeys.map(JSONValue.string)))) }
        if showsInternal { members.append(JSONMember("internal", true)) }
        members.append(JSONMember("limit", .integer(Int64(limit))))
        if let cursor { members.append(JSONMember("cursor", .string(cursor))) }
        return .object(members)
    }
}
