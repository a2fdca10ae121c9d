import Records
import Sync
import Wire

// Effects of an acknowledged write beyond its values: an addition to a counter, a deletion.
extension Judge {
    /// Checks that every acknowledged addition of a log to a counter is in the shown total, unless it may be missing.
    ///
    /// - Parameters:
    ///   - write: One of the additions.
    ///   - content: The shown content of the record; `nil` when it does not exist.
    ///   - reaches: The effective part of each log.
    ///   - look: The store.
    /// - Throws: `Violation`.
    func checkAdditions(
        of write: WriteLedger.Write,
        _ content: Shown?,
        _ reaches: [LogKey: LogReach],
        _ look: StoreLook
    ) throws {
        let key = write.place.key
        // A log with two histories has two totals.
        if library.forked.contains(key) || reaches[key]?.isForked ?? false { return }
        for (field, amount) in write.additions.sorted(by: { $0.key < $1.key }) {
            let part = WriteLedger.CounterPart(field: field, actor: key.actor)
            let total = content?.totals[part]
            guard let all = additions(to: part, of: write) else { continue }
            checkCount += 1
            let places = all.map { OperationLibrary.Place(key: key, counter: $0.counter) }
            // Judging each addition is expensive, and as a rule nothing is missing.
            if CounterPromise(all).explains(total) { continue }
            let judged = try zip(all, places).map { addition, place in
                var judged = addition
                judged.mayBeMissing =
                    try ledger.write(at: place).map { try mayBeMissing(part, $0, reaches, look) } ?? true
                return judged
            }
            if CounterPromise(judged).explains(total) { continue }
            throw look.violation(
                .acknowledgedIsKept,
                "the addition of \(amount) to \(field) by \(write.place) was acknowledged; of that log's additions"
                    + " \(judged.map { "\($0.amount)\($0.mayBeMissing ? "?" : "")" }) the record shows"
                    + " \(total.map { "\($0)" } ?? "nothing")"
            )
        }
    }

    /// All additions of a log to a counter of a record; `nil` when the amount of one is unknown because it was not
    /// answered.
    private func additions(
        to part: WriteLedger.CounterPart,
        of write: WriteLedger.Write
    ) -> [CounterPromise.Addition]? {
        var additions: [CounterPromise.Addition] = []
        for place in library.places(zone: write.place.key.zone, tag: write.tag) where place.key == write.place.key {
            guard let body = library.entries(at: place).last?.body else { return nil }
            guard let known = ledger.write(at: place), known.isAcknowledged else {
                // An unanswered write may have added something.
                if body.counterParts[part]?.counter == place.counter { return nil }
                continue
            }
            guard let amount = known.additions[part.field] else { continue }
            additions.append(CounterPromise.Addition(counter: place.counter, amount: amount))
        }
        return additions
    }

    /// Whether the final value may lack an addition.
    private func mayBeMissing(
        _ part: WriteLedger.CounterPart,
        _ write: WriteLedger.Write,
        _ reaches: [LogKey: LogReach],
        _ look: StoreLook
    ) throws -> Bool {
        if try write.excuse != nil || !counts(write, look) { return true }
        if try waitsForNobody(write.place, reaches, look) || isOutOfReach(write.place, look) { return true }
        let production = try look.store.zone(write.place.key.zone)?.productionSchema()
        let droppers = ledger.droppers(of: part, upTo: write.place.counter, made: write).map(\.place)
        let isShared = !look.accounts.isEmpty
        if isReplaced(by: droppers, write, reaches, production, isShared: isShared) { return true }
        return try isSettled(write, production?.schema, look)
            || isReplacedByLiar(write, reaches, production, look.store)
    }

    /// Checks that everything that a deletion removed is gone, unless an author that had not seen the deletion wrote
    /// it.
    ///
    /// - Parameters:
    ///   - write: The deletion.
    ///   - content: The shown content of the record.
    ///   - look: The store.
    /// - Throws: `Violation`.
    func checkGone(_ write: WriteLedger.Write, _ content: Shown, _ look: StoreLook) throws {
        // An incomplete replica shows what it has until it learns the live set; law 2 asks that it is complete in the
        // end.
        if let zone = try look.store.zone(write.place.key.zone) {
            if try zone.isUnverified || look.store.isAwaitingSuccessor(write.tag, zone: zone) { return }
        }
        checkCount += 1
        let places = library.places(zone: write.place.key.zone, tag: write.tag)
        // It is not known which of two histories a deletion had seen.
        if places.contains(where: { library.forked.contains($0.key) }) { return }
        let entries = library.entries(at: write.place)
        guard entries.indices.contains(write.entry) else { return }
        let past = library.past(of: entries[write.entry])
        let others = places.filter { place in
            if place.key == write.place.key { return place.counter > write.place.counter }
            return past[place.key] ?? 0 < place.counter
        }
        let edits = others.flatMap { place in library.entries(at: place).compactMap(\.body).filter { !$0.isDeleted } }
        let returned = write.replaced.intersection(content.marks).sorted().first { mark in
            !edits.contains { $0.marks.contains(mark) }
        }
        guard edits.isEmpty || returned != nil else { return }
        throw look.violation(
            .acknowledgedIsKept,
            "the deletion \(write.place) was acknowledged, and \(returned ?? "the record") is shown, which no author wrote"
                + " that had not seen it"
        )
    }
}
