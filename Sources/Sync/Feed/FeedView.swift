package import Records
package import Wire

/// The part of the feed of changes that a reader sees.
///
/// A token is valid for the view that it was made for, and for every part of it: a reader that has seen all of a
/// container has seen all of each of its zones. The other way round there would be a gap, so it is refused.
package struct FeedView: Sendable, Hashable {
    /// The containers that the reader may see at all; `nil` = all.
    package var scope: Set<BytewiseString>?
    /// The only container; `nil` = all of the scope.
    package var container: String?
    /// The only database; `nil` = all.
    package var place: ZonePlace?
    /// The only zone; `nil` = all.
    package var zone: ZoneID?
    /// The only records; `nil` = all.
    package var filter: FeedFilter?
    /// Whether records of daemons are among them.
    package var audience: RecordAudience

    /// A view; of all records of programs if nothing is named.
    package init(
        scope: Set<BytewiseString>? = nil,
        container: String? = nil,
        place: ZonePlace? = nil,
        zone: ZoneID? = nil,
        filter: FeedFilter? = nil,
        audience: RecordAudience = .programs
    ) {
        self.scope = scope
        self.container = container
        self.place = place
        self.zone = zone
        self.filter = filter
        self.audience = audience
    }

    /// Whether it leaves records out, so that a page examines more records than it reports.
    var isSelective: Bool { filter != nil || audience != .everything }

    /// Returns the news of a changed record.
    /// - Parameters:
    ///   - change: The record as it is now.
    ///   - begin: See ``FeedToken/begin``.
    /// - Returns: The news; `nil` when the reader has nothing to do.
    /// - Throws: `ReplicaError.damaged` when the record's body cannot be read.
    func news(of change: ChangeRow, begin: UInt64) throws -> FeedEntry.News? {
        guard audience.sees(type: change.record.type) else {
            // Only a record that had another type before may have been reported; its copies have to go.
            guard change.position > begin, change.isRetyped else { return nil }
            return change.record.isDeleted ? .record(change) : .outside(change)
        }
        guard let filter else { return .record(change) }
        return try filter.news(of: change, begin: begin)
    }

    /// Whether ``news(of:begin:)`` depends on types that a record had before.
    func dependsOnEarlierTypes(_ record: RecordRow) -> Bool {
        guard audience.sees(type: record.type) else { return true }
        return filter.map { !$0.isOfType(record) } ?? false
    }

    /// Whether a zone may come into the view, wherever it is found now.
    package func mayShow(_ zone: ZoneRow) -> Bool { mayShow(zone.id, zone.genesis) }

    /// Whether a zone may come into the view, by its genesis.
    func mayShow(_ zone: ZoneID, _ genesis: ZoneGenesis) -> Bool {
        let name = genesis.container
        return (self.zone == nil || self.zone == zone) && !genesis.isInternal
            && scope?.contains(BytewiseString(name)) ?? true && container?.isBytewiseEqual(to: name) ?? true
    }

    /// Whether a zone that is found in a place is in the view.
    package func shows(_ found: ZonePlace) -> Bool {
        found != .hidden && (place == nil || place == found)
    }

    /// This view, and the wider views whose tokens it accepts, the narrowest first.
    ///
    /// A zone may have been in another database when a token of one was made, so tokens of databases are kept apart
    /// from tokens of a zone. Filter and audience are the same in all of them: a record that one leaves out may be
    /// selected by another.
    var accepted: [FeedView] {
        func wider(container: String? = nil, place: ZonePlace? = nil) -> FeedView {
            FeedView(scope: scope, container: container, place: place, filter: filter, audience: audience)
        }
        var views = [self]
        if zone != nil { views.append(wider(container: container)) }
        if place != nil { views.append(wider(container: container)) }
        if container != nil, place != nil { views.append(wider(place: place)) }
        if container != nil || zone != nil { views.append(wider()) }
        return views
    }

    /// Its name in the seal of a token.
    var bytes: [UInt8] {
        var writer = WireWriter()
        writer.writeBool(scope != nil)
        let names = (scope ?? []).sorted()
        writer.writeCount(names.count)
        for name in names { writer.writeString(name.string) }
        writer.writeBool(container != nil)
        writer.writeString(container ?? "")
        writer.writeByte(place?.rawValue ?? 0)
        writer.writeBool(zone != nil)
        writer.writeDigest((zone ?? .zero).digest)
        if audience == .everything { writer.writeBool(true) }
        if let filter { writer.writeRaw(filter.name) }
        return writer.bytes
    }
}
