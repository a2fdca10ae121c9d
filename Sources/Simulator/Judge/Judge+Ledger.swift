import Identity
import Records
import Sync
import Wire

// Checks the promises made to applications, from the commit of a write to the end of the history.
extension Judge {
    /// Enters the writes of a commit in the ledger, with the content that their author's store showed before.
    ///
    /// Jobs of one transaction see the results of earlier ones. A write had therefore seen the content of its record
    /// before the transaction, and everything else that came to the record in it.
    /// - Parameters:
    ///   - places: The places of the operations that this node wrote.
    ///   - commit: The transaction.
    /// - Throws: Errors of the store.
    func enter(_ places: [OperationLibrary.Place], _ commit: ObservedCommit) throws {
        var shown: [OperationLibrary.Place: Shown] = [:]
        var known: [RecordTag: Shown] = [:]
        for place in places {
            guard let entry = library.entries(at: place).last, let body = entry.body else { continue }
            let tag = entry.operation.header.tag
            var seen = known[tag] ?? Shown()
            if known[tag] == nil {
                if let row = try commit.before.record(zone: place.key.zone, tag: tag) {
                    // A deleted record shows nothing.
                    if !row.isDeleted { seen.add(try row.content()) }
                }
                for body in try arrived(tag, zone: place.key.zone, except: places, commit) { seen.add(body) }
            }
            shown[place] = seen
            seen.add(body)
            known[tag] = seen
        }
        for place in places {
            guard let entry = library.entries(at: place).last, let body = entry.body, let seen = shown[place]
            else { continue }
            let (marks, carried, parts) = (seen.marks, body.marks, body.counterParts)
            var write = WriteLedger.Write(
                place: place,
                tag: entry.operation.header.tag,
                node: commit.node,
                brought: carried.subtracting(marks),
                replaced: marks.subtracting(carried)
            )
            write.dropped = seen.parts.filter { parts[$0.key] == nil }
            for mark in write.brought { canaries.add(Array(mark.utf8), as: "a value") }
            write.entry = library.entries(at: place).count - 1
            ledger.add(write)
        }
    }

    /// The bodies that came to a record in a transaction without being written in it.
    ///
    /// These are bodies of other devices, bodies that the device itself had written before its disk was rolled back,
    /// and bodies that a key received in the transaction has opened.
    private func arrived(
        _ tag: RecordTag,
        zone: ZoneID,
        except written: [OperationLibrary.Place],
        _ commit: ObservedCommit
    ) throws -> [RecordBody] {
        var bodies: [RecordBody] = []
        // If a record is held and not shown, or only in part, no body is known to have been seen before.
        let wasShown = try commit.before.record(zone: zone, tag: tag).map { !$0.isLocked } ?? false
        for place in library.places(zone: zone, tag: tag) where !written.contains(place) {
            let before = wasShown ? try commit.before.log(place.key)?.appliedSize ?? 0 : 0
            let after = try commit.after.log(place.key)
            guard let after, before < place.counter, place.counter <= after.appliedSize else { continue }
            bodies += library.entries(at: place).compactMap(\.body)
        }
        return bodies
    }

    /// Notes the answer to an application, and checks that it is true.
    /// - Parameters:
    ///   - request: The request.
    ///   - commit: The answer.
    ///   - node: The node that answered.
    ///   - time: The time of the answer, in simulated milliseconds.
    ///   - store: The node's store.
    /// - Throws: `Violation`.
    func acknowledge(_ request: WriteRequest, _ commit: Commit, node: Int, time: UInt64, store: MemoryStore?) throws {
        for (write, result) in zip(request.writes, commit.results.first ?? []) {
            // The newest operation of the node's own log is the one that was just made.
            guard case .success(let row) = result,
                let dot = row.live.last(where: { $0.actor == commit.key.actor }) ?? row.live.first
            else { continue }
            let place = OperationLibrary.Place(
                key: LogKey(zone: row.zone, actor: dot.actor, lane: .data),
                counter: dot.counter
            )
            let additions = Dictionary(write.increments.map { ($0.field, $0.amount) }, uniquingKeysWith: &+)
            guard ledger.acknowledge(place, adding: additions, isDeletion: write.delete) else {
                throw Violation(
                    .acknowledgedIsKept,
                    time: time,
                    node: node,
                    "the write of \(write.name) was acknowledged as \(place), where nothing was committed"
                )
            }
            guard let store, try store.log(place.key)?.size ?? 0 < place.counter else { continue }
            throw Violation(
                .acknowledgedIsKept,
                time: time,
                node: node,
                "\(place) was acknowledged before it was durable"
            )
        }
    }

    /// Checks that after a power loss everything acknowledged is still there.
    func checkAfterCrash(of node: Int, device: DeviceID, time: UInt64, store: MemoryStore?) throws {
        // Nothing is promised to applications of a byzantine device: it may fork its own log, and withdraw the branch
        // then.
        if byzantine.contains(device) { return }
        for write in ledger.writes where write.isAcknowledged && write.node == node && !write.isSetBack {
            if let store, try store.log(write.place.key)?.size ?? 0 >= write.place.counter { continue }
            throw Violation(
                .acknowledgedIsKept,
                time: time,
                node: node,
                "\(write.place) was acknowledged, and is lost after a power loss"
            )
        }
    }

    /// Checks at the end that every acknowledged write is in every store, and its values visible unless knowingly
    /// replaced.
    /// - Parameter look: A store that has converged.
    /// - Throws: `Violation`.
    func checkPromises(_ look: StoreLook) throws {
        try checkReadable(look)
        var shown: [ZoneID: [RecordTag: Shown]] = [:]
        var reaches: [ZoneID: [LogKey: LogReach]] = [:]
        var open: Set<ZoneID> = []
        for zone in try look.store.zones() {
            reaches[zone.id] = try look.store.reaches(zone: zone)
            if case .deleted = zone.state { continue }
            open.insert(zone.id)
            for row in look.store.allRecords(zone: zone.id) where !row.isDeleted {
                var content = Shown()
                content.add(try row.content())
                shown[zone.id, default: [:]][row.tag] = content
            }
        }
        for write in ledger.writes where write.isAcknowledged && write.excuse == nil {
            let zone = write.place.key.zone
            if reaches[zone] != nil, !open.contains(zone) { continue }
            guard try counts(write, look) else { continue }
            let reach = reaches[zone]?[write.place.key]
            // Operations behind a fork are restated elsewhere; the check for their values follows below.
            let isBehindFork = reach.map { $0.isForked && $0.end < write.place.counter } ?? false
            guard isBehindFork || reach?.counted ?? 0 >= write.place.counter, try isBehindFork || isHere(write, look)
            else {
                if try waitsForNobody(write.place, reaches[zone] ?? [:], look) { continue }
                if isOutOfReach(write.place, look) { continue }
                throw look.violation(
                    .acknowledgedIsKept,
                    "\(write.place) of node \(write.node) was acknowledged, and is not here"
                        + (try waiting(write.place, reaches[zone] ?? [:], look))
                )
            }
            if let row = try look.store.zone(zone) {
                // The write is held, and the holder of its key was removed before delivering the key.
                if try isHidden(write.tag, zone: row, reaches: reaches[zone] ?? [:], store: look.store) { continue }
                // The superseding operation is still to come, if a disk that held it comes back.
                if try look.store.isAwaitingSuccessor(write.tag, zone: row) { continue }
            }
            let content = shown[zone]?[write.tag]
            let visible = content?.marks ?? []
            if write.isDeletion, let content { try checkGone(write, content, look) }
            if !write.additions.isEmpty {
                try checkAdditions(of: write, content, reaches[zone] ?? [:], look)
            }
            let production = try look.store.zone(zone)?.productionSchema()
            for value in write.brought.sorted() where !visible.contains(value) {
                let isShared = !look.accounts.isEmpty
                if isReplaced(value, of: write, reaches[zone] ?? [:], production, isShared: isShared) { continue }
                if try isSettled(write, production?.schema, look) { continue }
                if isReplacedByLiar(write, reaches[zone] ?? [:], production, look.store) { continue }
                let superseding = try superseding(write, look)
                throw look.violation(
                    .acknowledgedIsKept,
                    "\(value) of \(write.place) was acknowledged, is not visible, and no write that had seen it replaced it;"
                        + " superseded by \(superseding.map { "\($0)" }), replaced by"
                        + " \(ledger.replacers(of: value).map { text(of: $0.place, reaches[zone] ?? [:]) })"
                )
            }
        }
    }

    /// A place, and how much of its log is effective, for people.
    private func text(of place: OperationLibrary.Place, _ reaches: [LogKey: LogReach]) -> String {
        let reach = reaches[place.key]
        return "\(place.key.actor.shortText):\(place.counter) of which \(reach?.counted ?? 0) are effective"
            + " as \(reach.map { "\($0.role)" } ?? "unknown")"
    }

    /// Whether an author that knew of a value replaced it.
    ///
    /// Either an effective write, or one that an effective write has adopted, had been shown the value; or its author
    /// held a write that had been shown it, and wrote on top of that. Operations that the cut of a removed device
    /// makes void replace nothing themselves; operations that other devices built on them before they knew of the
    /// removal, or by which they adopted them, are effective as a whole.
    private func isReplaced(
        _ value: String,
        of write: WriteLedger.Write,
        _ reaches: [LogKey: LogReach],
        _ production: ProductionSchema?,
        isShared: Bool
    ) -> Bool {
        return isReplaced(by: ledger.replacers(of: value).map(\.place), write, reaches, production, isShared: isShared)
    }

    /// Whether one of these writes is effective, or an effective write was built on one of them.
    func isReplaced(
        by replacers: [OperationLibrary.Place],
        _ write: WriteLedger.Write,
        _ reaches: [LogKey: LogReach],
        _ production: ProductionSchema?,
        isShared: Bool
    ) -> Bool {
        let zone = write.place.key.zone
        let roles = reaches.reduce(into: Roles(production: production)) { roles, log in
            if log.key.lane == .data { roles[log.key.actor] = log.value.role }
        }
        func counts(_ place: OperationLibrary.Place) -> Bool {
            guard let reach = reaches[place.key] else { return false }
            if reach.role != .owner,
                !library.entries(at: place).contains(where: { isWithinRight($0, at: place, roles) })
            {
                return false
            }
            // Operations behind a fork are restated together with the operations that they had replaced.
            return reach.counted >= place.counter || reach.isForked && reach.end < place.counter
        }
        let places = library.places(zone: zone, tag: write.tag)
        // An operation above a cut is effective as far as another write has adopted it, with a vector that names it.
        func isAdopted(_ place: OperationLibrary.Place) -> Bool {
            let dot = Dot(actor: place.key.actor, counter: place.counter)
            return isShared
                && places.contains { other in
                    other != place && counts(other)
                        && library.entries(at: other).contains { $0.operation.header.vector.covers(dot) }
                }
        }
        // Adopting a write takes over its replacements too, even if nothing else was written on top of it.
        if replacers.contains(where: { counts($0) || isAdopted($0) }) { return true }
        return places.contains { place in
            (counts(place) || isAdopted(place))
                && library.entries(at: place).contains { entry in
                    let past = library.past(of: entry)
                    return replacers.contains { past[$0.key] ?? 0 >= $0.counter }
                }
        }
    }

    /// Whether a write may have lost against a concurrent one, by the policy of its record's type.
    ///
    /// The reference model determines which of the two is shown.
    func isSettled(_ write: WriteLedger.Write, _ schema: Schema?, _ look: StoreLook) throws -> Bool {
        let zone = write.place.key.zone
        guard let type = try look.store.record(zone: zone, tag: write.tag)?.type,
            schema?.type(named: type)?.conflicts == .latest
        else { return false }
        let dot = Dot(actor: write.place.key.actor, counter: write.place.counter)
        return library.entries(at: write.place).contains { entry in
            library.places(zone: zone, tag: write.tag).contains { place in
                let other = Dot(actor: place.key.actor, counter: place.counter)
                return !entry.operation.header.vector.covers(other)
                    && library.entries(at: place).contains { !$0.operation.header.vector.covers(dot) }
            }
        }
    }

    /// Whether a byzantine member has replaced a write in the way in which every member may.
    ///
    /// That is, by an effective operation that its author may make and that claims to have seen the write: no replica
    /// can tell whether it had. An operation that is void for the devices that can read it excuses nothing, whatever
    /// it claims.
    func isReplacedByLiar(
        _ write: WriteLedger.Write,
        _ reaches: [LogKey: LogReach],
        _ production: ProductionSchema?,
        _ store: MemoryStore
    ) -> Bool {
        let dot = Dot(actor: write.place.key.actor, counter: write.place.counter)
        let roles = reaches.reduce(into: Roles(production: production)) { roles, log in
            if log.key.lane == .data { roles[log.key.actor] = log.value.role }
        }
        return library.places(zone: write.place.key.zone, tag: write.tag).contains { place in
            place != write.place && devices[place.key.actor].map(byzantine.contains) == true
                && reaches[place.key]?.counted ?? 0 >= place.counter
                && library.entries(at: place).contains { entry in
                    let header = entry.operation.header
                    guard header.vector.covers(dot) else { return false }
                    return isUnread(entry, in: store)
                        ? isWithinRight(unread: header, at: place, roles) : isWithinRight(entry, at: place, roles)
                }
        }
    }

    /// The operations that are effective here and claim to have seen a write, in the order of their dots.
    private func superseding(_ write: WriteLedger.Write, _ look: StoreLook) throws -> [Dot] {
        let dot = Dot(actor: write.place.key.actor, counter: write.place.counter)
        return try look.store.operations(
            zone: write.place.key.zone,
            tags: [write.tag],
            states: [.live, .superseded]
        )
        .filter { $0.dot != dot && $0.operation.header.vector.covers(dot) }.map(\.dot)
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
    func waitsForNobody(
        _ place: OperationLibrary.Place,
        _ reaches: [LogKey: LogReach],
        _ look: StoreLook
    ) throws -> Bool {
        guard reaches[place.key]?.size ?? 0 >= place.counter else { return false }
        var known: Set<LogKey> = [place.key]
        var open = [place.key]
        while let key = open.popLast() {
            for head in try look.store.heads(key, above: reaches[key]?.applied ?? 0, limit: 1) {
                for dot in head.signed.head.seen.entries {
                    let other = LogKey(zone: key.zone, actor: dot.actor, lane: key.lane)
                    let here = reaches[other]
                    let wanted = min(dot.counter, here?.limit ?? .max)
                    if here?.applied ?? 0 >= wanted { continue }
                    if let author = devices[dot.actor], byzantine.contains(author) { return true }
                    let next = OperationLibrary.Place(key: other, counter: (here?.size ?? 0) + 1)
                    if next.counter <= wanted, ledger.isLost(next) { return true }
                    if known.insert(other).inserted { open.append(other) }
                }
            }
        }
        return false
    }

    /// The operations that a held, unapplied operation waits for, for people.
    private func waiting(
        _ place: OperationLibrary.Place,
        _ reaches: [LogKey: LogReach],
        _ look: StoreLook
    ) throws -> String {
        guard let reach = reaches[place.key] else { return "; its log is not held" }
        let heads = try look.store.heads(place.key, above: reach.applied, limit: 1)
        let missing = (heads.first?.signed.head.seen.entries ?? []).compactMap { dot -> String? in
            let key = LogKey(zone: place.key.zone, actor: dot.actor, lane: place.key.lane)
            let here = reaches[key]
            if let here, here.applied >= min(dot.counter, here.limit) { return nil }
            let author = devices[dot.actor].map { byzantine.contains($0) } ?? false
            return "\(dot) of \(author ? "a liar" : "an honest one"), held \(here?.size ?? 0),"
                + " applied \(here?.applied ?? 0), forked \(here?.isForked ?? false)"
        }
        return "; held are \(reach.size), applied \(reach.applied), \(reach.end) possible, forked \(reach.isForked),"
            + " \(library.entries(at: place).count) were written at this place, it waits for \(missing)"
    }

    /// Whether the account makes a write effective: it does unless the device was removed and the write lies above
    /// the cut.
    func counts(_ write: WriteLedger.Write, _ look: StoreLook) throws -> Bool {
        guard let device = devices[write.place.key.actor], !byzantine.contains(device) else { return false }
        guard let account = look.account else { return true }
        let key = write.place.key
        if !look.accounts.isEmpty { return try countsByRight(write, device, look) }
        guard account.standing(of: device) != .active(.full) else { return true }
        // Until a statement says how much of a removed device is effective, no store needs to have any of it.
        guard let right = rightOf[key.actor],
            let limit = try accountLimit(of: key, device: device, under: right, look)
        else { return false }
        return write.place.counter <= limit
    }

    /// Whether a write is effective in a zone of several accounts: its right extends to it, and its cut lies behind
    /// it.
    private func countsByRight(_ write: WriteLedger.Write, _ device: DeviceID, _ look: StoreLook) throws -> Bool {
        let key = write.place.key
        guard let zone = try look.store.zone(key.zone), let right = rightOf[key.actor] else { return false }
        let model = try rights(in: zone, store: look.store, accounts: look.accounts, ownDevice: nil)
        // An account that may not read has no claim to anything.
        guard let own = look.account?.account, model.mayRead(own, now: Simulation.wallStart + look.time) else {
            return false
        }
        // Members that know of the end of the account's right send it nothing any more, not even that end.
        if model.account(right) != own, look.readable?.contains(key.zone) == false { return false }
        let limit = model.limit(of: key.actorLane, device: device, under: right) ?? 0
        let isUnsaid = limit == .max && model.account(right).map { !model.hasActive(device, of: $0) } ?? true
        guard write.place.counter <= limit, !isUnsaid else { return false }
        let entries = library.entries(at: write.place)
        let roles = try roles(in: key.zone, look.store)
        // A log that is missing here has no role here, and its absence is the fault that this check looks for.
        guard roles[key.actor] != nil else { return true }
        return entries.indices.contains(write.entry) && isWithinRight(entries[write.entry], at: write.place, roles)
    }

    /// Whether all holders of a write are outside the node's circle, so that they cannot deliver it.
    func isOutOfReach(_ place: OperationLibrary.Place, _ look: StoreLook) -> Bool {
        guard let circle = look.circle else { return false }
        return !circle.contains { holds(lastStores[$0], place) }
    }

    /// Whether the operation here is the one that was acknowledged; in a fork another one may be at its place.
    private func isHere(_ write: WriteLedger.Write, _ look: StoreLook) throws -> Bool {
        let entries = library.entries(at: write.place)
        guard entries.count > 1, let held = try look.store.operation(at: write.place) else { return true }
        return entries[write.entry].operation.header == held.header
    }
}

/// The shown content of a record, as far as the ledger distinguishes values.
struct Shown {
    /// Values that were written exactly once.
    private(set) var marks: Set<String> = []
    /// For each counter and log, the counter of the newest write whose additions are included.
    private(set) var parts: [WriteLedger.CounterPart: UInt64] = [:]
    /// The totals of these additions.
    private(set) var totals: [WriteLedger.CounterPart: Int64] = [:]

    /// Adds the content of a body.
    mutating func add(_ body: RecordBody) {
        marks.formUnion(body.marks)
        for (part, entry) in body.counterParts where parts[part] ?? 0 <= entry.counter {
            parts[part] = entry.counter
            totals[part] = entry.total
        }
    }
}
