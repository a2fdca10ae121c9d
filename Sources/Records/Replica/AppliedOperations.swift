package import Wire

/// The effects of a log's growth, or of the arrival of something that operations waited for.
package struct AppliedOperations: Sendable {
    /// Operations of one device that were applied and have no effect, for one reason.
    package struct Void: Hashable, Sendable {
        /// The reason why they have no effect.
        package enum Reason: Hashable, Sendable {
            /// They are outside of their author's right.
            case outOfRight
            /// They break the schema that their author had seen.
            case outOfSchema
            /// They are sealed under the right key, and are no records.
            case unsound
        }

        /// The device that wrote them.
        package let device: DeviceID
        /// The reason why they have no effect.
        package let reason: Reason

        /// Operations of a device that have no effect.
        package init(device: DeviceID, reason: Reason) {
            (self.device, self.reason) = (device, reason)
        }
    }

    /// Records whose visible state changed, each once, in their new state.
    package var changed: [RecordRow] = []
    /// Operations that were stored.
    package var storedCount: UInt64 = 0
    /// Operations that were applied, earlier stored ones included.
    package var appliedCount: UInt64 = 0
    /// The number of applied operations, in any log, that have no effect although the right that they are written
    /// under is valid.
    package var void: [Void: UInt64] = [:]
    /// The size of the log that the run belonged to.
    package var size: UInt64 = 0
    /// True when control operations were applied: the zone's row may have changed.
    package var hasControlChanges = false
    /// True when the log was truncated first, to the place from which others hold it as a gap.
    package var isTakenBack = false
    /// True when a checkpoint waits that ``Checkpoints/adopt(in:)`` may now be able to adopt.
    package var hasCoveredCheckpoint = false

    /// Creates an empty result.
    package init() {}

    /// Adds the next effects in the same transaction; the log's size is the later one's.
    ///
    /// A record that changed in both is held once, in its later state.
    /// - Parameter later: The effects that follow.
    /// - Complexity: O(records of both).
    package mutating func add(_ later: AppliedOperations) {
        note(later.changed)
        storedCount &+= later.storedCount
        appliedCount &+= later.appliedCount
        void.merge(later.void, uniquingKeysWith: &+)
        size = later.size
        hasControlChanges = hasControlChanges || later.hasControlChanges
        isTakenBack = isTakenBack || later.isTakenBack
        hasCoveredCheckpoint = hasCoveredCheckpoint || later.hasCoveredCheckpoint
    }

    /// Adds records that changed, or changed once more.
    mutating func note(_ later: [RecordRow]) {
        let again = Set(later.map(\.tag))
        changed = changed.filter { !again.contains($0.tag) } + later
    }
}
