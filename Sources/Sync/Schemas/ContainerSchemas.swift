package import Wire

/// The schemas of a container: the declared or inferred one, and the one in force.
package struct ContainerSchemas: Hashable, Sendable {
    /// The development schema, declared or inferred from records.
    package var development: Schema
    /// The promoted schema; nil before the first promotion.
    package var production: Schema?
}

/// The result of a promotion.
package struct PromotionOutcome: Hashable, Sendable {
    /// The schema in force now.
    package var production: Schema
    /// The zones in which it was newly stated, ascending; zones in which it was in force already are left out.
    package var zones: [ZoneID]
}
