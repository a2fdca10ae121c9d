package import Wire

/// The schemas of a container: what is declared or inferred, and what is in force.
package struct ContainerSchemas: Hashable, Sendable {
    /// What development declares, or has learnt from records.
    package var development: Schema
    /// What was promoted; nil before the first promotion.
    package var production: Schema?
}

/// What a promotion did.
package struct PromotionOutcome: Hashable, Sendable {
    /// What is in force now.
    package var production: Schema
    /// The zones in which it was said now, ascending; those in which it was in force already are left out.
    package var zones: [ZoneID]
}
