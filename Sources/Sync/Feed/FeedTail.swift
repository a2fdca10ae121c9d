import Records
package import Wire

/// The end by which commits have just made the feed of changes longer, for readers that stand right before it.
///
/// It is made from the memory of the commits, with every change of the feed between two positions: ``FeedReader/take(_:)`` reports the same from it
/// as ``FeedReader/read(limit:byteCount:by:in:)`` does from the store at that moment.
package struct FeedTail: Sendable {
    /// The most changes of a tail, and the most bytes of their records with which one more is taken in; longer ends are read from the store.
    package static let (changeCountMax, byteCountMax) = (32, 16 << 10)

    /// The end of the feed before.
    package let after: UInt64
    /// The end of the feed behind it.
    package private(set) var through: UInt64
    /// The changes, ascending by position, each record once; none of zones that no reader is shown.
    ///
    /// Whether a record had another type before is not known: see ``FeedView/dependsOnEarlierTypes(_:)``.
    package private(set) var changes: [ChangeRow]
    /// The geneses of the zones with changes.
    private(set) var geneses: [ZoneID: ZoneGenesis]

    /// Makes the tail of a commit; `nil` where its records are not all by which the feed has grown, or too many.
    /// - Parameters:
    ///   - zone: The zone that was changed.
    ///   - changed: The records that took a position of the feed, in that order.
    ///   - bySync: Whether a peer's operations changed them.
    ///   - after: The end of the feed before.
    ///   - through: The end of the feed behind it.
    ///   - isShown: Whether readers may be shown the zone.
    init?(
        of zone: ZoneRow,
        _ changed: [RecordRow],
        bySync: Bool,
        after: UInt64,
        through: UInt64,
        isShown: Bool
    ) {
        guard after < through, through - after == UInt64(changed.count) else { return nil }
        if isShown {
            // A record that changed twice has two positions, of which the feed has the later one.
            guard changed.count <= Self.changeCountMax, Set(changed.map(\.tag)).count == changed.count else {
                return nil
            }
        }
        assert(changed.allSatisfy { $0.zone == zone.id }, "the tail of a zone has records of that zone")
        (self.after, self.through) = (after, through)
        let rows = zip(after + 1...through, isShown ? changed : [])
        changes = rows.map { ChangeRow(position: $0, record: $1, bySync: bySync) }
        geneses = isShown ? [zone.id: zone.genesis] : [:]
        if isTooLong { return nil }
    }

    /// Adds the tail of a later commit; of a record that changed in both the newest state is left, as in the feed.
    /// - Parameter later: The tail.
    /// - Returns: False where it does not begin where this one ends, or both are more than a tail may have; then this one is not to be used.
    package mutating func append(_ later: FeedTail) -> Bool {
        guard later.after == through else { return false }
        changes.removeAll { change in
            later.changes.contains { $0.record.tag == change.record.tag && $0.record.zone == change.record.zone }
        }
        changes += later.changes
        geneses.merge(later.geneses) { $1 }
        through = later.through
        assert(
            zip(changes, changes.dropFirst()).allSatisfy { $0.position < $1.position },
            "the changes of a tail are in the order of the feed"
        )
        return !isTooLong
    }

    /// The same stretch of the feed for a reader of one zone.
    /// - Parameter zone: The zone.
    /// - Returns: The tail with the changes of that zone alone.
    func only(_ zone: ZoneID) -> FeedTail {
        var tail = self
        tail.changes.removeAll { $0.record.zone != zone }
        tail.geneses = geneses.filter { $0.key == zone }
        return tail
    }

    private var isTooLong: Bool {
        changes.count > Self.changeCountMax
            || changes.dropLast().reduce(0) { $0 + $1.record.body.count } >= Self.byteCountMax
    }
}

/// The growth of the feed that one reader has not taken yet, as far as commits remember it.
///
/// Bound: one tail. Overflow policy: where it would be longer, all is dropped, and the reader reads the feed. The same holds where commits are reported
/// without a tail, or not in the order of the feed.
package struct FeedChain: Sendable {
    private var tail: FeedTail?
    private var isBroken = false

    /// Makes an empty chain.
    package init() {}

    /// Adds what a commit has added to the feed.
    /// - Parameters:
    ///   - next: The tail; `nil` where the commit does not remember all.
    ///   - zone: The only zone that concerns the reader; `nil` for all.
    package mutating func add(_ next: FeedTail?, for zone: ZoneID?) {
        guard !isBroken else { return }
        if let next {
            let concerned = zone.map { next.only($0) } ?? next
            isBroken = tail?.append(concerned) == false
            if tail == nil { tail = concerned }
        } else {
            isBroken = true
        }
        if isBroken { tail = nil }
    }

    /// Takes all of it.
    /// - Returns: The tail; `nil` where the feed is to be read.
    package mutating func take() -> FeedTail? {
        defer { self = FeedChain() }
        return tail
    }
}
