package import Wire

/// A right that was ended only by authors that cannot be asked any more, and whose cuts no standing device of the
/// owner has stated.
package struct UnconfirmedRight: Hashable, Sendable {
    /// The capability, or the ownership's own right.
    package let right: Hash
    /// The places of the operations that ended it.
    package let places: [Dot]
    /// The effective sizes of logs that they state, of each log once for each ending that lists it.
    package let positions: [LogPosition]
    /// Whether a correction by a device that does not stand is effective.
    package let hasOldCorrection: Bool
}

extension ControlState {
    /// The rights whose cuts a device of the owner should state, ascending: where nothing is effective anyhow, there
    /// is nothing to state.
    /// - Complexity: O(rights under which operations are effective by others' statements, corrected rights, former
    ///   owners).
    package var unconfirmedRights: [UnconfirmedRight] {
        if isPair { return [] }
        let ended = unconfirmed.union(raises.keys).compactMap { id in
            capabilities[id].flatMap { unconfirmed(id, by: $0.revocations + $0.leaves) }
        }
        let former = ownerships.compactMap { unconfirmed($0.right, by: $0.end.map { [$0] } ?? []) }
        return (ended + former).sorted { $0.right < $1.right }
    }

    private func unconfirmed(_ right: Hash, by endings: [Ending]) -> UnconfirmedRight? {
        let old = raises[right] ?? []
        guard !endings.isEmpty, !isCorrected(right) else { return nil }
        // The owner's own statement bounds the others' already, and the corrections of a removed device have to be
        // repeated.
        if endings.contains(where: \.isConfirmed), old.isEmpty { return nil }
        return UnconfirmedRight(
            right: right,
            places: endings.map(\.place),
            positions: endings.flatMap(\.cuts),
            hasOldCorrection: !old.isEmpty
        )
    }
}
