/// A rule of its schema that a record breaks.
public struct SchemaViolation: Sendable, Hashable, Codable {
    /// The field; nil for what is about the type.
    public var field: String?
    /// The rule, such as `required` or `kind`.
    public var rule: String
    /// The kind of what is there, and its length if it has one; nothing of the value.
    public var found: String
}
