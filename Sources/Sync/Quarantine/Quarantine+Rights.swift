package import Records
package import Wire

extension Quarantine {
    /// The number of entries up to which they are counted.
    private static let countedMax = 1_000

    /// Counts the entries that were written under rights.
    /// - Parameters:
    ///   - rights: The capabilities.
    ///   - transaction: The store.
    /// - Returns: The number, of the first thousand entries of the zone.
    /// - Throws: `.unknownZone`.
    /// - Complexity: As ``entries(after:limit:in:)``.
    package func entryCount(under rights: Set<Hash>, in transaction: some ReplicaTransaction) throws -> Int {
        try entries(limit: Self.countedMax, in: transaction).count { entry in
            let log = try transaction.log(LogKey(zone: zone, actor: entry.dot.actor, lane: .data))
            return log.map { rights.contains($0.right) } ?? false
        }
    }
}
