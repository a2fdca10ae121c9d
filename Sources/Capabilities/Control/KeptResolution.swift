import Identity
package import Wire

/// The resolution of a control log that grows: kept between operations, so that one more costs only its own changes.
///
/// At each moment ``state`` equals the result of resolving the same operations from nothing. An operation with
/// consequences that a quick check determines is entered (``ControlResolution/enter(_:)``); for any other, everything
/// is resolved again, from operations that are already decoded and verified.
package struct KeptResolution<Directory: AccountDirectory & Sendable>: Sendable {
    private let zone: ZoneID
    private let genesisOwners: [AccountID]
    private var resolution: ControlResolution<Directory>
    /// The number of decisions about operations since this was made, counting repeated ones; for measurements and
    /// tests.
    package private(set) var decidedCount: UInt64
    /// The number of comparisons of operations as to which one ends an ownership, since this was made; likewise.
    package var comparedCount: UInt64 { resolution.comparedCount }

    /// Resolves a control log.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - owners: The accounts that its genesis names: one, or the two of a pair zone.
    ///   - entries: The operations held, in any order.
    ///   - directory: The accounts.
    /// - Complexity: as of ``ControlState/init(zone:owners:entries:directory:)``.
    package init(zone: ZoneID, owners: [AccountID], entries: [ControlEntry], directory: Directory) {
        (self.zone, genesisOwners) = (zone, owners)
        let distinct = ControlEntries(entries)
        resolution = ControlResolution(zone: zone, owners: owners, entries: distinct, directory: directory)
        resolution.resolve()
        resolution.index()
        decidedCount = UInt64(entries.count)
    }

    /// The state that follows from the operations.
    package var state: ControlState { resolution.state }

    /// The number of operations.
    package var count: Int { resolution.state.verdicts.count }

    /// Updates the resolution to the present state of the accounts' logs.
    /// - Parameters:
    ///   - directory: The accounts.
    ///   - isSame: Whether of an account everything is as it was when this was resolved.
    /// - Complexity: O(accounts that the control log names), unless one of them changed.
    package mutating func follow(_ directory: Directory, where isSame: (AccountID, Directory) -> Bool) {
        let old = resolution.directory
        resolution.directory = directory
        let (holders, candidates) = (resolution.state.holders, resolution.state.candidates)
        guard !holders.allSatisfy({ isSame($0, old) }) || !candidates.allSatisfy({ isSame($0, old) }) else { return }
        resolveAnew()
    }

    /// Adds operations; those that are there already change nothing.
    /// - Complexity: O(log n) for each where nothing has to be decided again, see ``ControlResolution/enter(_:)``.
    package mutating func add(_ entries: [ControlEntry]) {
        var isDecided = true
        for entry in entries where resolution.keep(entry) {
            guard isDecided else { continue }
            decidedCount &+= 1
            isDecided = resolution.enter(entry)
        }
        if !isDecided { resolveAnew() }
    }

    /// The state that follows from the operations without those of some logs.
    /// - Complexity: as of ``ControlState/init(zone:owners:entries:directory:)``.
    package func state(without logs: Set<ActorLane>) -> ControlState {
        let rest = resolution.entries.all.filter { !logs.contains($0.log) }
        return ControlState(zone: zone, owners: genesisOwners, entries: rest, directory: resolution.directory)
    }

    /// The state that resolving the same operations from nothing gives.
    package var stateAnew: ControlState { state(without: []) }

    private mutating func resolveAnew() {
        var anew = ControlResolution(
            zone: zone,
            owners: genesisOwners,
            entries: resolution.entries,
            directory: resolution.directory
        )
        anew.comparedCount = resolution.comparedCount
        anew.resolve()
        anew.index()
        resolution = anew
        decidedCount &+= UInt64(count)
    }
}
