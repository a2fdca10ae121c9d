import Records
import Sodium
package import Wire

/// What one zone's logs look like at one moment: all that two nodes need to compare it.
package struct ZoneSnapshot: Sendable, Equatable {
    /// The zone.
    package let zone: ZoneID
    /// What its id is made of; told to a member that does not know the zone yet.
    package let genesis: ZoneGenesis
    /// The part of each log that counts.
    package let logs: [LogKey: LogState]
    /// The checkpoint under which this node has dropped superseded operations; zero when none.
    package let checkpoint: Hash
    /// The digest of all that counts: equal on two nodes exactly when their logs are.
    package let state: Hash

    /// Takes a snapshot.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - genesis: What its id is made of.
    ///   - logs: The part of each log that counts; empty logs are left out.
    ///   - checkpoint: The adopted checkpoint, or zero.
    /// - Complexity: O(n log n) in the number of logs.
    package init(zone: ZoneID, genesis: ZoneGenesis, logs: [LogKey: LogState], checkpoint: Hash) {
        self.zone = zone
        self.genesis = genesis
        self.logs = logs.filter { $0.value.size > 0 }
        self.checkpoint = checkpoint
        var writer = WireWriter()
        for (key, log) in self.logs.sorted(by: { $0.key < $1.key }) {
            writer.write(key.actor)
            writer.write(key.lane)
            writer.writeVarint(log.size)
            writer.write(log.root)
        }
        state = Hash(digesting: .zoneStateDigest, zone.bytes + writer.bytes)
    }

    /// The logs in the order in which they are told.
    package var sortedLogs: [LogState] {
        logs.sorted { $0.key < $1.key }.map(\.value)
    }

    /// How large a log is; 0 when it is not held.
    package func size(_ key: LogKey) -> UInt64 {
        logs[key]?.size ?? 0
    }
}
