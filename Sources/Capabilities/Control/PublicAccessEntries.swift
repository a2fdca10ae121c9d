import Wire

/// The effective operations on the rights of accounts without a capability.
struct PublicAccessEntries: Sendable {
    private var all: [ControlEntry] = []

    /// Notes an effective operation.
    mutating func append(_ entry: ControlEntry) { all.append(entry) }

    /// Returns the operation in force: the one that none follows, of several an owner's, then the last
    /// in order.
    /// - Parameter ownerships: The ownerships of the zone.
    /// - Returns: `nil` where none is effective.
    func current(_ ownerships: Ownerships) -> ControlEntry? {
        // As a rule one of each log is left, the last. A dishonest author, whose later operations have
        // seen less, leaves several; and the successor of an operation of another log need not be its
        // log's last.
        let candidates = Dictionary(grouping: all, by: \.log).values.flatMap(\.lastOfLog)
        let last = candidates.filter { entry in !all.contains { entry.precedes($0) } }
        let owners = last.filter { ownerships[$0.right] != nil }
        return (owners.isEmpty ? last : owners).max { ResolutionOrder($0) < ResolutionOrder($1) }
    }
}
