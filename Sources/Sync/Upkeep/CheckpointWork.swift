import Records
package import Wire

/// One piece of work on the checkpoints of a zone, computed in a snapshot that is read beside the writer.
///
/// The transaction that performs it computes nothing again. It checks whether all facts on which the outcome depends
/// are unchanged (``CheckpointUpkeep/perform(_:in:)``), and refuses otherwise: then the work is computed again.
package struct CheckpointWork: Sendable {
    /// The result that the snapshot gives.
    enum Outcome: Equatable, Sendable {
        /// Records without any live operation are no longer shown; the next name to look behind is noted, nil at the
        /// end.
        case withdrawn([RecordTag], behind: String, next: String?)
        /// A checkpoint is adopted, or found not to agree with the local logs, or the zone is proven complete.
        case adopted(ZoneRow)
        /// The zone waits for a checkpoint that is not held here.
        case awaited
        /// The zone no longer waits for one.
        case notAwaited
        /// A checkpoint is due.
        case made(Checkpoint, CheckpointOccasion)
    }

    /// The zone.
    package let zone: ZoneID
    /// The result that the snapshot gives.
    let outcome: Outcome
    /// The state of the zone in the snapshot.
    let stamp: CheckpointStamp
    /// The number of decisions that the rows of zone and logs do not show.
    let turnCount: UInt64
}

/// The facts beside a zone's own rows that decide whether a checkpoint is due, and how much it covers.
struct CheckpointOccasion: Equatable, Sendable {
    /// The devices that are to hold the zone.
    let members: [DeviceID]
    /// Those of them that are not waited for.
    let lapsed: [DeviceID]
    /// The recorded time of the last checkpoint.
    let lastMilliseconds: UInt64
    /// The sizes that others hold durably.
    let acknowledged: [DeviceID: [LogKey: UInt64]]

    /// Whether a later occasion is as good: the same devices are waited for, and hold the same or more.
    func stands(at now: Self) -> Bool {
        guard now.members == members, now.lapsed == lapsed, now.lastMilliseconds == lastMilliseconds else {
            return false
        }
        return members.allSatisfy { member in
            acknowledged[member, default: [:]].allSatisfy { now.acknowledged[member]?[$0.key] ?? 0 >= $0.value }
        }
    }
}

/// The result of a piece of work.
package enum CheckpointStep: Equatable, Sendable {
    /// It is done; more may be to do.
    case done
    /// It is done, and a checkpoint was made.
    case made(Checkpoint)
    /// It was computed from facts that have changed; nothing was done.
    case stale
    /// The own control log has no room for a checkpoint; nothing was done.
    case noRoom

    /// The checkpoint that was made.
    package var checkpoint: Checkpoint? { if case .made(let checkpoint) = self { checkpoint } else { nil } }
}

/// The limits of a round of maintenance on the checkpoints of one zone.
package struct CheckpointRound: Sendable {
    /// The number of times that work is computed in a round whose facts change meanwhile.
    private static let staleCountMax = 3

    private var staleCount = 0
    private var hasMade = false

    /// Begins.
    package init() {}

    /// Takes in the result of a piece of work.
    /// - Parameter step: The result.
    /// - Returns: Whether to look for the next one now. Else it waits for the next round.
    package mutating func goesOn(after step: CheckpointStep) -> Bool {
        switch step {
        case .noRoom: return false
        case .done: return true
        case .made:
            // A clock that jumps must not have one made behind the other.
            defer { hasMade = true }
            return !hasMade
        case .stale:
            staleCount += 1
            return staleCount < Self.staleCountMax
        }
    }
}
