package import Queries

/// The part of the feed of changes that a program wants.
package struct FeedSelection: Sendable, Hashable {
    /// The zone by id text or unique name; `nil` = all.
    package var zone: String?
    /// The container; `nil` = all that the caller may see.
    package var container: String?
    /// The database; `nil` = all.
    package var database: ZoneDatabase?
    /// The only records, whatever the order; `nil` = all.
    package var query: Query?
    /// Whether records that daemons write by themselves are among them.
    package var showsInternal: Bool

    /// A selection; everything if nothing is named.
    package init(
        zone: String? = nil,
        container: String? = nil,
        database: ZoneDatabase? = nil,
        query: Query? = nil,
        showsInternal: Bool = false
    ) {
        self.zone = zone
        self.container = container
        self.database = database
        self.query = query
        self.showsInternal = showsInternal
    }
}
