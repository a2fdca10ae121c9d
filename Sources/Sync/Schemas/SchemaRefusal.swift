package import Records
package import Wire

/// The reason why a schema is neither declared nor promoted.
package enum SchemaRefusal: Error, Equatable, Sendable {
    /// The schema would forbid or forget something that production allows.
    case notAdditive([SchemaDifference])
    /// It is larger than a schema may be.
    case tooLarge(WireError)
    /// The container has no declaration, and no record from which one could be inferred.
    case nothing
}
