import Capabilities
import Identity
import Records
import Sync
import Wire

/// The promises made to applications in one zone, against one store at rest.
final class ZonePromises {
    private let evidence: Evidence
    private let look: StoreLook
    private let zone: ZoneID
    /// The records of the zone in the store; `nil` where the store does not hold the zone.
    private let records: ZoneRecords?
    /// Whether the zone was deleted, and every promise with it.
    private let isDeleted: Bool
    /// The effective part of each log.
    private let reaches: [LogKey: LogReach]
    /// The content of each record that exists.
    private var shown: [RecordTag: Shown] = [:]

    /// The promises in a zone.
    init(of zone: ZoneID, _ look: StoreLook, _ evidence: Evidence) throws {
        (self.evidence, self.look, self.zone) = (evidence, look, zone)
        let row = try look.store.zone(zone)
        let reaches = try row.map { try look.store.reaches(zone: $0) } ?? [:]
        records = try row.map { try ZoneRecords(of: $0, reaches, in: look.store, evidence) }
        isDeleted = row?.isDeleted ?? false
        self.reaches = reaches
        if isDeleted || row == nil { return }
        for row in look.store.allRecords(zone: zone) where !row.isDeleted {
            shown[row.tag, default: Shown()].add(try row.content())
        }
    }

    /// Whether several accounts share the zone.
    private var isShared: Bool { !look.accounts.isEmpty }

    /// Checks that an acknowledged write is here, and its values visible unless knowingly replaced.
    /// - Throws: ``Violation``.
    func check(_ write: WriteLedger.Write) throws {
        guard try !isDeleted && isEffective(write) else { return }
        let reach = reaches[write.place.key]
        // Operations behind a fork are restated elsewhere; the check for their values follows below.
        let isBehindFork = reach.map { $0.isForked && $0.end < write.place.counter } ?? false
        guard let records, isBehindFork || reach?.counted ?? 0 >= write.place.counter,
            try isBehindFork || isHere(write)
        else {
            if try waitsForNobody(write.place) || isOutOfReach(write.place) { return }
            throw violation(
                "\(write.place) of node \(write.node) was acknowledged, and is not here" + (try waiting(write.place))
            )
        }
        // The write is held, and the holder of its key was removed before delivering the key.
        if try records.isHidden(write.tag) { return }
        // The superseding operation is still to come, if a disk that held it comes back.
        if try look.store.isAwaitingSuccessor(write.tag, zone: records.zone) { return }
        let content = shown[write.tag]
        if write.isDeletion, let content { try checkGone(write, content) }
        if !write.additions.isEmpty { try checkAdditions(of: write, content) }
        for value in write.brought.subtracting(content?.marks ?? []).sorted() {
            let replacers = evidence.ledger.replacers(of: value).map(\.place)
            if try isReplaced(write, by: replacers) || isSettled(write) || isReplacedByLiar(write) { continue }
            throw violation(
                "\(value) of \(write.place) was acknowledged, is not visible, and no write that had seen it replaced it;"
                    + " superseded by \(try superseding(write).map { "\($0)" }), replaced by \(replacers.map(text(of:)))"
            )
        }
    }

    // MARK: Counters and deletions

    /// Checks that every acknowledged addition of a log to a counter is in the shown total, unless it may be missing.
    ///
    /// - Parameters:
    ///   - write: One of the additions.
    ///   - content: The shown content of the record; `nil` when it does not exist.
    /// - Throws: ``Violation``.
    private func checkAdditions(of write: WriteLedger.Write, _ content: Shown?) throws {
        let key = write.place.key
        // A log with two histories has two totals.
        if evidence.library.forked.contains(key) || reaches[key]?.isForked ?? false { return }
        for (field, amount) in write.additions.sorted(by: { $0.key < $1.key }) {
            let part = WriteLedger.CounterPart(field: field, actor: key.actor)
            let total = content?.totals[part]
            guard let all = additions(to: part, of: write) else { continue }
            evidence.checkCount += 1
            // Judging each addition is expensive, and as a rule nothing is missing.
            if CounterPromise(all).explains(total) { continue }
            let judged = try all.map { addition in
                var judged = addition
                let place = OperationLibrary.Place(key: key, counter: addition.counter)
                judged.mayBeMissing = try evidence.ledger.write(at: place).map { try mayBeMissing(part, $0) } ?? true
                return judged
            }
            if CounterPromise(judged).explains(total) { continue }
            throw violation(
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
        for place in evidence.library.places(zone: zone, tag: write.tag) where place.key == write.place.key {
            guard let body = evidence.library.entries(at: place).last?.body else { return nil }
            guard let known = evidence.ledger.write(at: place), known.isAcknowledged else {
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
    private func mayBeMissing(_ part: WriteLedger.CounterPart, _ write: WriteLedger.Write) throws -> Bool {
        if try write.excuse != nil || !isEffective(write) { return true }
        if try waitsForNobody(write.place) || isOutOfReach(write.place) { return true }
        let droppers = evidence.ledger.droppers(of: part, upTo: write.place.counter, made: write).map(\.place)
        return try isReplaced(write, by: droppers) || isSettled(write) || isReplacedByLiar(write)
    }

    /// Checks that everything that a deletion removed is gone, unless an author that had not seen the deletion wrote
    /// it.
    ///
    /// - Parameters:
    ///   - write: The deletion.
    ///   - content: The shown content of the record.
    /// - Throws: ``Violation``.
    private func checkGone(_ write: WriteLedger.Write, _ content: Shown) throws {
        // An incomplete replica shows what it has until it learns the live set; law 2 asks that it is complete in the
        // end.
        if records?.zone.isUnverified ?? false { return }
        evidence.checkCount += 1
        let library = evidence.library
        let places = library.places(zone: zone, tag: write.tag)
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
        throw violation(
            "the deletion \(write.place) was acknowledged, and \(returned ?? "the record") is shown, which no author wrote"
                + " that had not seen it"
        )
    }

    // MARK: Replaced values

    /// Whether an author that knew of the values of a write replaced them.
    ///
    /// Either an effective write, or one that an effective write has adopted, had been shown the value; or its author
    /// held a write that had been shown it, and wrote on top of that. Operations that the cut of a removed device
    /// makes void replace nothing themselves; operations that other devices built on them before they knew of the
    /// removal, or by which they adopted them, are effective as a whole.
    /// - Parameters:
    ///   - write: The write.
    ///   - replacers: The writes that had been shown the values and did not keep them.
    /// - Returns: Whether one of the replacers is effective, or an effective write was built on one
    ///   of them.
    private func isReplaced(_ write: WriteLedger.Write, by replacers: [OperationLibrary.Place]) -> Bool {
        let library = evidence.library
        func isEffective(_ place: OperationLibrary.Place) -> Bool {
            guard let reach = reaches[place.key], let roles = records?.roles else { return false }
            if reach.role != .owner, !library.entries(at: place).contains(where: { roles.admit($0, at: place) }) {
                return false
            }
            // Operations behind a fork are restated together with the operations that they had replaced.
            return reach.counted >= place.counter || reach.isForked && reach.end < place.counter
        }
        let places = library.places(zone: zone, tag: write.tag)
        // An operation above a cut is effective as far as another write has adopted it, with a vector that names it.
        func isAdopted(_ place: OperationLibrary.Place) -> Bool {
            isShared
                && places.contains { other in
                    other != place && isEffective(other)
                        && library.entries(at: other).contains { $0.operation.header.vector.covers(place.dot) }
                }
        }
        // Adopting a write takes over its replacements too, even if nothing else was written on top of it.
        if replacers.contains(where: { isEffective($0) || isAdopted($0) }) { return true }
        return places.contains { place in
            (isEffective(place) || isAdopted(place))
                && library.entries(at: place).contains { entry in
                    let past = library.past(of: entry)
                    return replacers.contains { past[$0.key] ?? 0 >= $0.counter }
                }
        }
    }

    /// Whether a write may have lost against a concurrent one, by the policy of its record's type.
    ///
    /// The reference model determines which of the two is shown.
    private func isSettled(_ write: WriteLedger.Write) throws -> Bool {
        guard let type = try look.store.record(zone: zone, tag: write.tag)?.type, records?.settles(type) ?? false else {
            return false
        }
        let library = evidence.library
        return library.entries(at: write.place).contains { entry in
            library.places(zone: zone, tag: write.tag).contains { place in
                !entry.operation.header.vector.covers(place.dot)
                    && library.entries(at: place).contains { !$0.operation.header.vector.covers(write.place.dot) }
            }
        }
    }

    /// Whether a byzantine member has replaced a write in the way in which every member may.
    ///
    /// That is, by an effective operation that its author may make and that claims to have seen the write: no replica
    /// can tell whether it had. An operation that is void for the devices that can read it excuses nothing, whatever
    /// it claims.
    private func isReplacedByLiar(_ write: WriteLedger.Write) -> Bool {
        guard let roles = records?.roles else { return false }
        return evidence.library.places(zone: zone, tag: write.tag).contains { place in
            place != write.place && evidence.isByzantine(place.key.actor)
                && reaches[place.key]?.counted ?? 0 >= place.counter
                && evidence.library.entries(at: place).contains { entry in
                    entry.operation.header.vector.covers(write.place.dot)
                        && roles.admit(entry, at: place, in: look.store)
                }
        }
    }

    /// The operations that are effective here and claim to have seen a write, in the order of their dots.
    private func superseding(_ write: WriteLedger.Write) throws -> [Dot] {
        try look.store.operations(zone: zone, tags: [write.tag], states: [.live, .superseded])
            .filter { $0.dot != write.place.dot && $0.operation.header.vector.covers(write.place.dot) }.map(\.dot)
    }

    // MARK: Effective writes

    /// Whether the account makes a write effective: it does unless the device was removed and the write lies above
    /// the cut.
    private func isEffective(_ write: WriteLedger.Write) throws -> Bool {
        let key = write.place.key
        guard let device = evidence.library.author(of: key.actor), !evidence.byzantine.contains(device) else {
            return false
        }
        guard let account = look.account else { return true }
        if isShared { return try isEffectiveByRight(write, device) }
        guard account.standing(of: device) != .active(.full) else { return true }
        // Until a statement says how much of a removed device is effective, no store needs to have any of it.
        guard let right = evidence.library.right(of: key.actor),
            let limit = try evidence.rights.limit(of: key, device: device, under: right, look)
        else { return false }
        return write.place.counter <= limit
    }

    /// Whether a write is effective in a zone of several accounts: its right extends to it, and its cut lies behind
    /// it.
    private func isEffectiveByRight(_ write: WriteLedger.Write, _ device: DeviceID) throws -> Bool {
        let key = write.place.key
        guard let records, let right = evidence.library.right(of: key.actor) else { return false }
        let model = try evidence.rights.model(
            in: records.zone,
            store: look.store,
            accounts: look.accounts,
            ownDevice: nil
        )
        // An account that may not read has no claim to anything.
        guard let own = look.account?.account, model.mayRead(own, now: Simulation.wallStart + look.time) else {
            return false
        }
        // Members that know of the end of the account's right send it nothing any more, not even that end.
        if model.account(right) != own, look.readable?.contains(zone) == false { return false }
        let limit = model.limit(of: key.actorLane, device: device, under: right) ?? 0
        let isUnsaid = limit == .max && model.account(right).map { !model.hasActive(device, of: $0) } ?? true
        guard write.place.counter <= limit, !isUnsaid else { return false }
        let entries = evidence.library.entries(at: write.place)
        let roles = try LogRoles(in: zone, look.store)
        // A log that is missing here has no role here, and its absence is the fault that this check looks for.
        guard roles[key.actor] != nil else { return true }
        return entries.indices.contains(write.entry) && roles.admit(entries[write.entry], at: write.place)
    }

    // MARK: Missing writes

    /// Whether the operation here is the one that was acknowledged; in a fork another one may be at its place.
    private func isHere(_ write: WriteLedger.Write) throws -> Bool {
        let entries = evidence.library.entries(at: write.place)
        guard entries.count > 1, let held = try look.store.operation(at: write.place) else { return true }
        return entries[write.entry].operation.header == held.header
    }

    /// Whether all holders of a write are outside the node's circle in the zone, so that they cannot deliver it.
    private func isOutOfReach(_ place: OperationLibrary.Place) -> Bool {
        guard let circle = look.circles[zone] else { return false }
        return !circle.contains { evidence.lastStores[$0]?.holds(place) ?? false }
    }

    /// Whether an operation is held and waits, in the end, for an operation that no device can bring.
    ///
    /// The missing operation may be of a byzantine member: the waiting operation's author had it under a truthful
    /// head, and here it has a head that claims to have seen unwritten operations. A head states for a whole run what
    /// the author had seen, so the run waits for ever, and with it everything written on top of it. Nothing is lost:
    /// the operation is held everywhere, and shown where it was written.
    ///
    /// Or the missing operation is excused: every disk that held it was rolled back or lost, including its reader's,
    /// whereas the operation that this reader wrote on top of it had already travelled further. That operation is
    /// held everywhere, and becomes effective once a disk brings back the missing one, or the account states that the
    /// log ends before it.
    private func waitsForNobody(_ place: OperationLibrary.Place) throws -> Bool {
        guard reaches[place.key]?.size ?? 0 >= place.counter else { return false }
        var known: Set<LogKey> = [place.key]
        var open = [place.key]
        while let key = open.popLast() {
            for head in try look.store.heads(key, above: reaches[key]?.applied ?? 0, limit: 1) {
                for dot in head.signed.head.seen.entries {
                    let other = LogKey(zone: zone, actor: dot.actor, lane: key.lane)
                    let here = reaches[other]
                    let wanted = min(dot.counter, here?.limit ?? .max)
                    if here?.applied ?? 0 >= wanted { continue }
                    if evidence.isByzantine(dot.actor) { return true }
                    let next = OperationLibrary.Place(key: other, counter: (here?.size ?? 0) + 1)
                    if next.counter <= wanted, evidence.ledger.isLost(next) { return true }
                    if known.insert(other).inserted { open.append(other) }
                }
            }
        }
        return false
    }

    // MARK: Text for people

    /// The operations that a held, unapplied operation waits for.
    private func waiting(_ place: OperationLibrary.Place) throws -> String {
        guard let reach = reaches[place.key] else { return "; its log is not held" }
        let heads = try look.store.heads(place.key, above: reach.applied, limit: 1)
        let missing = (heads.first?.signed.head.seen.entries ?? []).compactMap { dot -> String? in
            let here = reaches[LogKey(zone: zone, actor: dot.actor, lane: place.key.lane)]
            if let here, here.applied >= min(dot.counter, here.limit) { return nil }
            return "\(dot) of \(evidence.isByzantine(dot.actor) ? "a liar" : "an honest one"), held \(here?.size ?? 0),"
                + " applied \(here?.applied ?? 0), forked \(here?.isForked ?? false)"
        }
        return "; held are \(reach.size), applied \(reach.applied), \(reach.end) possible, forked \(reach.isForked),"
            + " \(evidence.library.entries(at: place).count) were written at this place, it waits for \(missing)"
    }

    /// A place, and how much of its log is effective.
    private func text(of place: OperationLibrary.Place) -> String {
        let reach = reaches[place.key]
        return "\(place.key.actor.shortText):\(place.counter) of which \(reach?.counted ?? 0) are effective"
            + " as \(reach.map { "\($0.role)" } ?? "unknown")"
    }

    private func violation(_ text: String) -> Violation { look.violation(.acknowledgedIsKept, text) }
}
