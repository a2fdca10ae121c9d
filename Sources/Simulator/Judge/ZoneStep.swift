import Records
import Wire

/// The changes of one zone in a step of a store.
struct ZoneStep {
    /// The change of a log.
    struct Change {
        let key: LogKey
        let before: LogReach
        let after: LogReach

        /// The place of the newest applied operation.
        var lastApplied: OperationLibrary.Place { OperationLibrary.Place(key: key, counter: after.applied) }
    }

    let zone: ZoneRow
    /// The reach of each log before the step.
    let old: [LogKey: LogReach]
    /// The reach of each log after the step.
    let new: [LogKey: LogReach]
    /// The logs that changed, in the order of their keys.
    let changes: [Change]
    /// The places of the data operations that the node wrote.
    private(set) var own: [OperationLibrary.Place] = []
    /// The places of the control operations that the node wrote.
    private(set) var said: [OperationLibrary.Place] = []
    /// The index of the past of the operations that an honest author wrote in this step.
    private var past: Int?
    /// The records with an operation that becomes effective or ceases to be.
    private(set) var touched: Set<RecordTag> = []

    /// The step of a zone.
    /// - Returns: `nil` where the logs are as they were.
    init?(_ zone: ZoneRow, _ old: [LogKey: LogReach], _ new: [LogKey: LogReach]) {
        if old == new { return nil }
        (self.zone, self.old, self.new) = (zone, old, new)
        changes = new.sorted { $0.key < $1.key }.compactMap { key, reach in
            reach == old[key] ? nil : Change(key: key, before: old[key] ?? .absent, after: reach)
        }
    }

    /// Whether the node changed nothing but its own logs.
    ///
    /// A copy of the device writes under its name as well, to other logs.
    func isAlone(_ device: DeviceID, _ library: OperationLibrary) -> Bool {
        let written = Set(own.map(\.key))
        return changes.allSatisfy { change in
            written.contains(change.key)
                || change.key.lane == .control && library.author(of: change.key.actor) == device
        }
    }

    /// Takes in an operation that the node wrote.
    mutating func wrote(_ place: OperationLibrary.Place) {
        if place.key.lane == .data { own.append(place) } else { said.append(place) }
    }

    /// The index of the operations that an author had seen when it wrote: those that were effective
    /// before its transaction.
    ///
    /// Operations of control logs that the same transaction cut off are left out, since statements about them come
    /// after it.
    mutating func past(in library: inout OperationLibrary) -> Int {
        if let past { return past }
        let seen = Dictionary(
            uniqueKeysWithValues: old.map { key, reach in
                (key, key.lane == .control ? min(reach.counted, new[key]?.counted ?? 0) : reach.counted)
            }
        )
        let added = library.addPast(seen)
        past = added
        return added
    }

    /// Collects the records with an operation of a log that becomes effective or ceases to be.
    mutating func touch(_ change: Change, _ library: OperationLibrary) {
        let (before, after) = (change.before.counted, change.after.counted)
        guard change.key.lane == .data, before != after else { return }
        for leaf in min(before, after)..<max(before, after) {
            for entry in library.entries(at: OperationLibrary.Place(key: change.key, counter: leaf + 1)) {
                touched.insert(entry.operation.header.tag)
            }
        }
    }

    /// Collects all records where the role of a log has changed.
    ///
    /// An operation that was void may be effective then, and the other way round.
    mutating func touchAllIfRolesChanged(_ library: OperationLibrary) {
        let isChanged = new.contains { key, reach in old[key].map { $0.role != reach.role } ?? false }
        if isChanged { touched.formUnion(library.tags(zone: zone.id)) }
    }
}
