import Records
import Sync
import Wire

/// The law that effects come after their causes, and batches whole.
struct CausalityLaw {
    let evidence: Evidence

    /// Checks a log of which more operations are applied than before.
    func check(_ change: ZoneStep.Change, _ step: ZoneStep, _ commit: ObservedCommit) throws {
        try checkBatchEnd(change, commit)
        try checkCauses(change, step, commit)
    }

    private func checkBatchEnd(_ change: ZoneStep.Change, _ commit: ObservedCommit) throws {
        let operation = try commit.after.operation(at: change.lastApplied)
        guard let operation, !operation.header.batch.isLast else { return }
        throw commit.violation(
            .causality,
            "\(change.key) is applied up to \(change.after.applied), in the middle of a batch"
        )
    }

    /// Checks that everything that the author of the newest applied operation had applied is applied here too.
    private func checkCauses(_ change: ZoneStep.Change, _ step: ZoneStep, _ commit: ObservedCommit) throws {
        let (key, reach, place) = (change.key, change.after, change.lastApplied)
        let entries = evidence.library.entries(at: place)
        guard reach.applied <= reach.limit, !reach.isForked, entries.count == 1 else { return }
        for (other, size) in evidence.library.past(of: entries[0]).sorted(by: { $0.key < $1.key })
        where other.lane == key.lane {
            let here = step.new[other] ?? .absent
            if here.isForked || evidence.library.forked.contains(other) || here.applied >= min(size, here.limit) {
                continue
            }
            // Operations of a liar that claims to have seen unwritten operations wait for ever, and nothing waits for
            // them.
            if evidence.isByzantine(other.actor) { continue }
            // It was applied, and then dropped under a checkpoint in order to continue behind it: its record shows it
            // until then. Both may have come in one transaction; then the dropped range is a gap.
            let wasApplied = step.old[other]?.applied ?? 0 >= min(size, here.limit)
            let isGivenUp = try wasApplied || isForgotten(other, from: here.applied, to: size, in: commit.after)
            if step.zone.isUnverified, isGivenUp, step.zone.watermark[other.actor] >= size { continue }
            if try wasFree(change, of: other, upTo: size, commit) { continue }
            let head = try commit.after.heads(key, above: reach.applied - 1, limit: 1).first?.signed.head
            throw commit.violation(
                .causality,
                "\(place) is applied, whose author had seen \(other) up to \(size);"
                    + " here are \(here.applied) of \(here.size);"
                    + " its head of size \(head?.size ?? 0) claims \(head.map { "\($0.seen)" } ?? "nothing")"
            )
        }
    }

    /// Whether a log was applied when less of another one was effective.
    ///
    /// An earlier job of the transaction or the operation itself changed that; an applied operation
    /// stays applied.
    private func wasFree(
        _ change: ZoneStep.Change,
        of other: LogKey,
        upTo size: UInt64,
        _ commit: ObservedCommit
    ) throws -> Bool {
        let steps = [commit.before] + commit.between + [commit.after]
        return try zip(steps, steps.dropFirst()).contains { before, after in
            guard let own = try after.log(change.key), own.appliedSize >= change.after.applied else { return false }
            return try before.log(other)?.cut.map { $0.size < size } ?? false
        }
    }

    /// Whether a part of a log is held as gaps only.
    private func isForgotten(_ key: LogKey, from: UInt64, to: UInt64, in store: MemoryStore) throws -> Bool {
        guard let row = try store.log(key), row.size >= to else { return false }
        return try store.items(key, from: from, to: to).allSatisfy { item in
            if case .gap = item.content { true } else { false }
        }
    }
}
