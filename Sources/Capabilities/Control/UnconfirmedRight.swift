package import Wire

/// A right that ended by the word of those alone who cannot be asked any more, and about which no device of the owner that stands
/// has said how much counts.
package struct UnconfirmedRight: Hashable, Sendable {
    /// The capability, or the ownership's own right.
    package let right: Hash
    /// Where the operations stand that ended it.
    package let places: [Dot]
    /// Up to where they say that logs count, of each log once for each ending that lists it.
    package let positions: [LogPosition]
    /// Whether a correction counts that was said by a device which does not stand.
    package let hasOldCorrection: Bool
}

extension ControlState {
    /// The rights about which a device of the owner should say how much counts, ascending: where nothing counts anyhow, there is nothing to
    /// say.
    /// - Complexity: O(rights under which operations count by the word of others, rights of which something is corrected, former owners).
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
        // The owner's own word bounds the others' already, and what a removed device had corrected has to be said again.
        if endings.contains(where: \.isConfirmed), old.isEmpty { return nil }
        return UnconfirmedRight(
            right: right,
            places: endings.map(\.place),
            positions: endings.flatMap(\.cuts),
            hasOldCorrection: !old.isEmpty
        )
    }
}
