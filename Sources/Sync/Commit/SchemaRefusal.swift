package import Records
package import Wire

/// Why a schema is neither declared nor promoted.
package enum SchemaRefusal: Error, Equatable, Sendable {
    /// What production allows would not be allowed any more, or would be forgotten.
    case notAdditive([SchemaDifference])
    /// It is larger than a schema may be.
    case tooLarge(WireError)
    /// Nothing was declared, and no record was written from which it could be inferred.
    case nothing
}
