import Records
import Sodium
package import Wire

/// The state of one zone's logs at one moment: all that two nodes need to compare it.
package struct ZoneSnapshot: Sendable, Equatable {
    /// The zone.
    package let zone: ZoneID
    /// The genesis, from which its id follows; sent to a member that does not know the zone yet.
    package let genesis: ZoneGenesis
    /// The effective part of each log.
    package let logs: [LogKey: LogState]
    /// Logs without an effective part: sent to peers, so that operations that state to have seen them do not wait,
    /// and not part of the comparison.
    package let emptyLogs: [LogKey: LogState]
    /// Control logs under rights that are void, or not known here: sent to peers like others, and not part of the
    /// comparison.
    package let uncompared: Set<LogKey>
    /// Whether operations that are held wait for others that are not.
    package let isWaiting: Bool
    /// Whether it is not yet proven that operations missing here under checkpoints were pruned, and not hidden.
    package let isUnverified: Bool
    /// The checkpoint under which this node has dropped superseded operations; zero when none.
    package let checkpoint: Hash
    /// The logs that are known to have two histories, each with the proof.
    package let forks: [LogKey: ForkProof]
    /// The digest of the effective parts: equal on two nodes exactly when their compared logs are, and they know the
    /// same forks of these.
    package let state: Hash

    /// Takes a snapshot.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - genesis: The genesis, from which the zone's id follows.
    ///   - logs: The effective part of each log, with size 0 where there is none.
    ///   - checkpoint: The adopted checkpoint, or zero.
    ///   - forks: The proofs of logs with two histories.
    ///   - uncompared: The control logs whose right is void, or not known here.
    ///   - isWaiting: Whether operations that are held wait for others that are not.
    ///   - isUnverified: Whether it is not proven that nothing is hidden here under checkpoints.
    /// - Complexity: O(n log n) in the number of logs.
    package init(
        zone: ZoneID,
        genesis: ZoneGenesis,
        logs: [LogKey: LogState],
        checkpoint: Hash,
        forks: [LogKey: ForkProof] = [:],
        uncompared: Set<LogKey> = [],
        isWaiting: Bool = false,
        isUnverified: Bool = false
    ) {
        self.zone = zone
        self.genesis = genesis
        assert(logs.keys.allSatisfy { $0.zone == zone }, "the logs of a snapshot are those of its zone")
        self.logs = logs.filter { $0.value.size > 0 }
        emptyLogs = logs.filter { $0.value.size == 0 }
        assert(uncompared.allSatisfy { $0.lane == .control }, "data logs are always compared")
        self.uncompared = uncompared
        self.isWaiting = isWaiting
        self.isUnverified = isUnverified
        self.checkpoint = checkpoint
        self.forks = forks
        var writer = WireWriter()
        for key in Set(self.logs.keys).union(forks.keys).subtracting(uncompared).sorted() {
            let log = self.logs[key]
            let root = log?.root ?? .zero
            writer.write(key.actor)
            writer.write(key.lane)
            writer.writeVarint(log?.size ?? 0)
            writer.write(root)
            // A peer that lacks the proof has to learn of it: other logs name operations behind the fork.
            writer.writeVarint(forks[key].map { $0.forkPoint &+ 1 } ?? 0)
        }
        state = Hash(digesting: .zoneStateDigest, zone.bytes + writer.bytes)
    }

    /// The zone for a session that may only receive its control logs.
    /// - Complexity: O(n log n) in the number of logs.
    package var controlOnly: ZoneSnapshot {
        ZoneSnapshot(
            zone: zone,
            genesis: genesis,
            logs: logs.merging(emptyLogs) { own, _ in own }.filter { $0.key.lane == .control },
            checkpoint: checkpoint,
            forks: forks.filter { $0.key.lane == .control },
            uncompared: uncompared,
            isWaiting: isWaiting
        )
    }

    /// The logs with an effective part, ascending.
    package var sortedLogs: [LogState] {
        logs.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The logs to send: those with an effective part, and empty ones as far as a message has room.
    package var toldLogs: [LogState] {
        let told = sortedLogs.prefix(Limits.logCountMax)
        let room = Limits.logCountMax - told.count
        return told + emptyLogs.sorted { $0.key < $1.key }.prefix(room).map(\.value)
    }

    /// The log sizes that a peer holds whose state of the zone is equal to this one.
    var comparedSizes: [LogKey: UInt64] {
        logs.filter { !uncompared.contains($0.key) }.mapValues(\.size)
    }

    /// The size of a log; 0 when it is not held.
    package func size(_ key: LogKey) -> UInt64 {
        logs[key]?.size ?? 0
    }
}
