import Records
import Sync
import Wire

/// The laws that a place in a log has one content, which its author has written, and that nothing
/// is taken in that every receiver must refuse.
struct AuthorshipLaw {
    private let evidence: Evidence
    /// Hashes of bodies and gaps that every receiver must refuse.
    var forbidden: Set<Hash> = []
    /// Whether devices legitimately live twice: forks of their logs are caused by the scenario.
    var toleratesForks = false

    init(_ evidence: Evidence) { self.evidence = evidence }

    /// Adds an operation that was not known to the library.
    /// - Parameters:
    ///   - operation: The operation.
    ///   - place: Its place.
    ///   - device: The author of the log.
    ///   - step: The step that added it to a store.
    ///   - commit: The transaction.
    /// - Returns: Whether an honest author has written another operation there before.
    /// - Throws: ``Violation`` of ``Invariant/ownClockEntry`` or ``Invariant/oneLeafForEachPlace``.
    func add(
        _ operation: Operation,
        at place: OperationLibrary.Place,
        by device: DeviceID,
        _ step: inout ZoneStep,
        _ commit: ObservedCommit
    ) throws -> Bool {
        let isByzantine = evidence.byzantine.contains(device)
        guard device == commit.device || isByzantine else {
            if evidence.library.entries(at: place).isEmpty {
                throw commit.violation(.ownClockEntry, "\(place) was never written by its author")
            }
            throw commit.violation(.oneLeafForEachPlace, "\(place) differs from its author's operation")
        }
        // The operations that a byzantine member had seen are unknown, and require nothing of other stores.
        let past = isByzantine ? evidence.library.addPast([:]) : step.past(in: &evidence.library)
        if device == commit.device { step.wrote(place) }
        let isTaken = evidence.library.add(operation, at: place, past: past)
        if isTaken, !isByzantine, !toleratesForks {
            throw commit.violation(.oneLeafForEachPlace, "\(place) was written a second time")
        }
        return isTaken && !isByzantine
    }

    /// Checks that a gap stands for operations that were written.
    func check(_ gap: SubtreeGap, of row: LogRow, _ commit: ObservedCommit) throws {
        guard gap.endLeaf <= evidence.library.sizes[row.key] ?? 0 || evidence.byzantine.contains(row.device) else {
            throw commit.violation(.ownClockEntry, "a gap of \(row.key) reaches beyond the written operations")
        }
    }

    /// Checks that a store has taken in nothing that every receiver must refuse.
    func checkAllowed(_ item: StoredItem, of row: LogRow, _ commit: ObservedCommit) throws {
        if forbidden.isEmpty { return }
        let name =
            switch item.content {
            case .operation(let stored): stored.operation.header.bodyHash
            case .gap(let gap): gap.hash
            }
        guard forbidden.contains(name) else { return }
        // Above a cut a gap may stand for a purged operation, and for nothing that is effective (`logs.md`, rule 4).
        if case .gap(let gap) = item.content, gap.leafCount == 1, let cut = row.cut, item.first >= cut.size { return }
        let place = OperationLibrary.Place(key: row.key, counter: item.first + 1)
        throw commit.violation(.referenceModel, "the operation at \(place) must be refused by every device")
    }
}
