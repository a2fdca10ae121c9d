import Records
import Sync
import Wire

/// The law that a commit has in its memory exactly what the store gives those who read it.
struct MemoryLaw {
    private let node: SimulatedNode
    private let store: MemoryStore

    /// Judges a job.
    /// - Parameters:
    ///   - node: The node.
    ///   - store: The store as the job has left it.
    init(_ node: SimulatedNode, in store: MemoryStore) {
        (self.node, self.store) = (node, store)
    }

    /// Checks the ends of logs and of the feed in the notice of the job.
    ///
    /// Only those that are still the end: a job may change a zone in several parts.
    func check(_ notice: CommitNotice) throws {
        for tail in notice.zones.flatMap(\.tails.values) {
            let now = notice.zones.last { $0.snapshot.zone == tail.key.zone }?.snapshot
            guard now?.size(tail.key) == tail.size else { continue }
            let run = try RunServing(tail.key).run(from: tail.from, byteCount: .max, in: store)
            guard run == tail.run else {
                throw Violation(
                    .storeIntegrity,
                    at: node,
                    "the run behind \(tail.from) of \(tail.key) is another one in memory"
                )
            }
        }
        guard let tail = notice.feedTail, try store.newestPosition() == tail.through else { return }
        let rows = try store.changes(
            zones: Set(tail.changes.map(\.record.zone)).sorted(),
            after: tail.after,
            through: tail.through,
            limit: .max,
            byteCount: .max
        )
        guard rows.elementsEqual(tail.changes, by: Self.isSame) else {
            throw Violation(.storeIntegrity, at: node, "the changes behind \(tail.after) are others in memory")
        }
    }

    /// Whether readers see the same of two changes.
    private static func isSame(_ row: ChangeRow, _ other: ChangeRow) -> Bool {
        let (left, right) = (row.record, other.record)
        return row.position == other.position && row.bySync == other.bySync && left.tag == right.tag
            && left.isDeleted == right.isDeleted && left.version == right.version && left.body == right.body
    }
}
