import Identity
import Records
package import Wire

/// Evictions as the store knows them: attempts to drop a content here, and promises to keep one for other devices.
///
/// A content is dropped on request after other devices have promised to keep it. Of both, an attempt and a promise, a device has one at
/// most for one payload: each of them is a row, and each is refused by a transaction that finds the other. See `docs/protocol/evictions.md`
/// for the reasons why the last copy stays.
package struct Evictions: Sendable {
    /// How long a promise stands: 24 hours.
    package static let promiseMilliseconds: UInt64 = 24 * 60 * 60 * 1_000
    /// Ends of promises that differ by less are the same: an hour.
    static let slackMilliseconds: UInt64 = 60 * 60 * 1_000
    /// Zones under which devices are asked about one payload.
    package static let zoneCountMax = 4
    /// Promises that one transaction ends.
    static let endedCount = 64

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    private var rows: AssetRows { AssetRows(committer: committer) }

    // MARK: As the evictor

    /// Begins an attempt; one that was begun before for the payload ends.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - attempt: The number of the attempt.
    ///   - transaction: The store.
    /// - Returns: The zones under which devices may be asked, or the reason why there is no attempt.
    /// - Throws: Any error of the store.
    package func begin(
        _ payload: PayloadID,
        attempt: UInt64,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<EvictionStart> {
        let hasFormer = try transaction.eviction(of: payload) != nil
        // The process knows its attempts: this one was left behind by a failure.
        if hasFormer { try transaction.removeEviction(of: payload) }
        if let obstacle = try obstacle(to: payload, in: transaction) {
            let number = try hasFormer ? transaction.nextCommitNumber() : nil
            return Changed(.refused(obstacle), notice: CommitNotice(number: number))
        }
        try transaction.save(EvictionRow(payload: payload, attempt: attempt))
        let zones = try zones(of: payload, in: transaction)
        assert(!zones.isEmpty, "a content is evicted that a record of a live zone names")
        return Changed(.begun(zones: zones), notice: CommitNotice(number: try transaction.nextCommitNumber()))
    }

    /// Ends an attempt without a drop.
    /// - Parameters:
    ///   - eviction: The attempt.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when there is no such attempt any more.
    /// - Throws: Any error of the store.
    package func end(_ eviction: EvictionRow, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard try transaction.eviction(of: eviction.payload) == eviction else { return CommitNotice() }
        try transaction.removeEviction(of: eviction.payload)
        return CommitNotice(number: try transaction.nextCommitNumber())
    }

    /// Drops a content, if the attempt stands that has gathered the promises, and nothing has come up that needs the content here.
    /// - Parameters:
    ///   - drop: The drop.
    ///   - transaction: The store.
    /// - Returns: The outcome; the attempt is over in any case.
    /// - Throws: Any error of the store.
    package func evict(
        _ drop: EvictionDrop,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<EvictionEnd> {
        guard try transaction.eviction(of: drop.payload)?.attempt == drop.attempt else {
            return Changed(.refused(.ended))
        }
        try transaction.removeEviction(of: drop.payload)
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        if let obstacle = try obstacle(to: drop.payload, in: transaction) {
            return Changed(.refused(obstacle), notice: notice)
        }
        // For a machine that was stopped between the promises and here.
        guard committer.sinceMilliseconds < drop.promisedUntil else {
            return Changed(.refused(.stale), notice: notice)
        }
        guard let row = try transaction.payload(drop.payload) else { return Changed(.refused(.absent), notice: notice) }
        assert(row.keptUntil == nil, "a content is evicted that is here for this device alone")
        try rows.evict(row, holder: drop.holder, in: &transaction)
        notice.assets = [drop.payload]
        // The next rounds drop the chunks.
        notice.hasUnseenAssets = true
        return Changed(.evicted(byteCount: row.byteCount), notice: notice)
    }

    /// The reason why a content is not evicted now; `nil` where there is none.
    private func obstacle(to payload: PayloadID, in transaction: some NodeTransaction) throws -> EvictionObstacle? {
        guard let row = try transaction.payload(payload) else { return .absent }
        switch row.state {
        case .present:
            // Its bytes would be dropped, and it would be here all the same.
            if try Links(committer).isSound(payload, in: transaction) { return .linked }
        case .linked: return .linked
        case .wanted: return .incomplete
        case .remote, .evicted: return .absent
        case .uploading, .released:
            assertionFailure("such a payload has no id, by which it was found")
            return .absent
        }
        if let until = try promise(of: payload, in: transaction) { return .promised(until: until) }
        if row.keptUntil != nil { return .custody }
        if try transaction.messages(with: payload).contains(where: \.needsPayload) { return .message }
        return try zones(of: payload, in: transaction).isEmpty ? .unnamed : nil
    }

    /// The zones whose records name a payload and that can be used, some of them.
    func zones(of payload: PayloadID, in transaction: some NodeTransaction) throws -> [ZoneID] {
        var zones: [ZoneID] = []
        for zone in try transaction.assetZones(of: payload, limit: AssetRows.zoneCountMax)
        where zones.count < Self.zoneCountMax {
            if try rows.isUsable(zone, in: transaction) { zones.append(zone) }
        }
        return zones
    }

    // MARK: As the holder

    /// Returns the end of this device's promise to keep a payload.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - transaction: The store.
    /// - Returns: Milliseconds since 1970; `nil` where no promise stands.
    /// - Throws: Any error of the store.
    package func promise(of payload: PayloadID, in transaction: some NodeTransaction) throws -> UInt64? {
        guard let promise = try transaction.retention(of: payload), committer.soberMilliseconds < promise.until else {
            return nil
        }
        return promise.until
    }

    /// Promises to keep payloads, as far as they are held here.
    /// - Parameters:
    ///   - request: The request of a device that may read the zone.
    ///   - transaction: The store.
    /// - Returns: The answer, which is true once the transaction is durable.
    /// - Throws: Any error of the store.
    /// - Complexity: O(payloads · bytes of a chunk).
    package func retain(
        _ request: RetentionRequest,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<RetentionAnswer> {
        var notice = CommitNotice()
        var statuses: [RetentionStatus] = []
        for payload in request.payloads {
            let word = try retain(payload, zone: request.zone, &notice, in: &transaction)
            statuses.append(RetentionStatus(payload: payload, word: word))
        }
        let answer = RetentionAnswer(zone: request.zone, isAboutPromises: true, statuses: statuses)
        return Changed(answer, notice: notice)
    }

    private func retain(
        _ payload: PayloadID,
        zone: ZoneID,
        _ notice: inout CommitNotice,
        in transaction: inout some NodeTransaction
    ) throws -> RetentionStatus.Word {
        let word = try word(about: payload, zone: zone, in: transaction)
        guard word == .held, let row = try transaction.payload(payload) else { return word }
        // A file that was lost or cut lacks its end. One that was there when the present promise was made may have been lost since.
        let last = try transaction.chunkCounts(of: row.number).all - 1
        let damage = try Payloads(committer).recheck(
            number: row.number,
            position: UInt64(max(last, 0)),
            in: &transaction
        )
        guard damage.number == nil else {
            notice.merge(damage)
            return .absent
        }
        let promise = RetentionRow(payload: payload, until: latestEnd).storable
        if let known = try transaction.retention(of: payload), known.until <= promise.until,
            promise.until - known.until < Self.slackMilliseconds
        {
            return .promised(until: known.until)
        }
        try transaction.save(promise)
        notice.number = try transaction.nextCommitNumber()
        return .promised(until: promise.until)
    }

    /// States which payloads are held here, without a promise.
    /// - Parameters:
    ///   - request: The request of a device that may read the zone.
    ///   - transaction: The store.
    /// - Returns: The answer.
    /// - Throws: Any error of the store.
    package func holding(
        _ request: RetentionRequest,
        in transaction: some NodeTransaction
    ) throws -> RetentionAnswer {
        let statuses = try request.payloads.map { payload in
            RetentionStatus(payload: payload, word: try word(about: payload, zone: request.zone, in: transaction))
        }
        return RetentionAnswer(zone: request.zone, isAboutPromises: false, statuses: statuses)
    }

    /// The answer about a payload under a zone, to a question without a promise.
    private func word(
        about payload: PayloadID,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> RetentionStatus.Word {
        // Its account does not count on a device that it has removed.
        guard case .active = committer.account.standing(of: committer.device) else { return .refused }
        // A content in linked files alone is none to count on: another program may remove it at any time.
        guard try rows.isUsable(zone, in: transaction), try transaction.isNamed(payload, zone: zone),
            let row = try transaction.payload(payload), row.state == .present, row.secret != nil
        else { return .absent }
        return try transaction.eviction(of: payload) == nil ? .held : .evicting
    }

    /// The end of a promise that is made now, by the later one of two clocks.
    private var latestEnd: UInt64 { committer.sinceMilliseconds &+ Self.promiseMilliseconds }

    // MARK: The end of promises

    /// Whether ``endPromises(in:)`` has something to do.
    func hasEndedPromises(in transaction: some NodeTransaction) throws -> Bool {
        try !promisesToEnd(limit: 1, in: transaction).isEmpty
    }

    /// Removes promises that are over, and brings the ends of others nearer that were noted by a clock which was ahead.
    /// - Returns: Whether there may be more.
    func endPromises(in transaction: inout some NodeTransaction) throws -> Bool {
        let found = try promisesToEnd(limit: Self.endedCount, in: transaction)
        for promise in found {
            if promise.until <= committer.soberMilliseconds {
                try transaction.removeRetention(of: promise.payload)
            } else {
                // It was made before now, so that a day from now is enough.
                try transaction.save(RetentionRow(payload: promise.payload, until: latestEnd))
            }
        }
        return found.count == Self.endedCount
    }

    private func promisesToEnd(limit: Int, in transaction: some NodeTransaction) throws -> [RetentionRow] {
        let now = committer.soberMilliseconds
        assert(now <= committer.sinceMilliseconds, "of two clocks the earlier one shows no more")
        return try transaction.retentions(
            endedBy: now,
            beyond: latestEnd &+ Self.slackMilliseconds,
            limit: limit
        )
    }
}
