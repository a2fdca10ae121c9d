import Records
import Wire

/// The writes of a transaction in one zone as the code that made them has them in memory, to serve those that stand right before them without
/// reading the store.
///
/// ``ZoneBefore`` compares it with the zone once the change is over: a part that does not make up all that has been written is of no use.
struct CommitMemory: Sendable {
    /// The end of the log that was written.
    var log: LogTail?
    /// The records that took a position in the feed, in that order.
    var changed: [RecordRow]
    /// Whether a peer's operations changed them.
    var bySync: Bool

    /// Returns the ends of logs that are exactly the growth of the zone's logs.
    /// - Parameters:
    ///   - zone: The zone as it is now.
    ///   - grown: The earlier sizes of the logs that grew.
    /// - Returns: The ends; none where something else was written as well.
    func tails(of zone: ZoneSnapshot, grown: [LogKey: UInt64]) -> [LogKey: LogTail] {
        guard let log, grown[log.key] == log.from, let now = zone.logs[log.key], now.size == log.size,
            now.root == log.run.signedHead.head.root
        else { return [:] }
        return [log.key: log]
    }
}
