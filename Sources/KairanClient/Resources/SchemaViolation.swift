/// A rule of its schema that a record breaks.
public struct SchemaViolation: Sendable, Hashable, Codable {
    /// The field; nil for a violation that concerns the type.
    public var field: String?
    /// The rule, such as `required` or `kind`.
    public var rule: String
    /// The kind of the value, and its length if it has one; no part of the value itself.
    public var found: String
}
