import Identity
package import Wire

// The contents of records, which each device of an account has the account's relays keep.
extension Custody {
    /// A promise about the content of a record is asked for again when less than this is left of it: once a day.
    package static let renewalMilliseconds: UInt64 = retentionMilliseconds - 24 * 60 * 60 * 1_000
    /// Contents that one search examines.
    private static let examinedCount = 256

    /// Returns contents of records that relays of this account are to be asked to keep.
    ///
    /// A content is asked for that a record of a zone with the setting names, that is here, or was evicted and is kept by the relay, and of
    /// which the relay has made no promise for a record, or one that ends within 29 days. One is released that records of other zones alone
    /// name by now.
    /// - Parameters:
    ///   - search: The relays, and the place from which to look.
    ///   - transaction: The store.
    /// - Returns: The requests, and how far the search has come.
    /// - Throws: Any error of the store.
    /// - Complexity: O((256 + contents that are named in the search) · (relays + zones that name a content)).
    package func contents(
        _ search: CustodySearch,
        in transaction: some NodeTransaction
    ) throws -> CustodySearch.Found {
        var found = CustodySearch.Found()
        let relays = search.relays.filter(isOwnRelay).sorted()
        guard !relays.isEmpty, committer.account.standing(of: committer.device) != .active(.relayOnly) else {
            found.isAtEnd = true
            return found
        }
        var settings: [ZoneID: Bool] = [:]
        for id in search.contents {
            guard let row = try transaction.payload(id) else { continue }
            found.news += try requests(about: row, to: relays, &settings, in: transaction)
        }
        guard search.limit > 0 else { return found }
        let rows = try transaction.keepableAssets(after: search.after, limit: Self.examinedCount)
        for row in rows {
            let requests = try requests(about: row, to: relays, &settings, in: transaction)
            assert(row.number > search.after, "a content is found behind the place of the search")
            guard found.jobs.isEmpty || found.jobs.count + requests.count <= search.limit else { return found }
            found.jobs += requests
            found.through = row.number
        }
        found.isAtEnd = rows.count < Self.examinedCount
        return found
    }

    /// The requests to some relays about a content.
    private func requests(
        about row: PayloadRow,
        to relays: [DeviceID],
        _ settings: inout [ZoneID: Bool],
        in transaction: some NodeTransaction
    ) throws -> [CustodyJob] {
        let isHere = row.isComplete
        guard let id = row.id, row.secret != nil, isHere || row.state == .evicted else { return [] }
        let promises = try transaction.custodies(of: id)
        guard let zone = try AssetRows(committer: committer).zoneKeptAtRelays(row, &settings, in: transaction) else {
            let outdated = promises.filter { $0.kind == .record && relays.contains($0.relay) }
            // While no record names it, another one may until it is dropped.
            guard !outdated.isEmpty, try transaction.isNamed(id), try !isAwaited(id, in: transaction) else { return [] }
            return outdated.map { CustodyJob(.release, for: .record, relay: $0.relay, zone: $0.zone, payload: id) }
        }
        return relays.compactMap { relay in
            let promise = promises.first { $0.relay == relay }
            // Content that is not here can only stay where it is.
            guard isHere || promise != nil else { return nil }
            if let promise, promise.kind == .record,
                promise.until >= committer.soberMilliseconds &+ Self.renewalMilliseconds
            {
                return nil
            }
            let byteCount = isHere ? row.paddedByteCount : 0
            return CustodyJob(.keep, for: .record, relay: relay, zone: zone, payload: id, byteCount: byteCount)
        }
    }

    /// Returns the payloads that relays need not keep any more: no message waits for them, and no record has them kept.
    ///
    /// Each relay has its share of them, so that those of one that is off keep no other one's waiting.
    func releases(limit: Int, in transaction: some NodeTransaction) throws -> [CustodyJob] {
        let relays = committer.accounts.values.flatMap { known in
            known.activeDevices.filter { known.devices[$0]?.role == .relayOnly && $0 != committer.device }
        }
        guard !relays.isEmpty else { return [] }
        let share = max(limit / relays.count, 1)
        let found = try Set(relays).sorted().flatMap { try releases(to: $0, limit: share, in: transaction) }
        return Array(found.prefix(limit))
    }

    private func releases(to relay: DeviceID, limit: Int, in transaction: some NodeTransaction) throws -> [CustodyJob] {
        var settings: [ZoneID: Bool] = [:]
        let rows = AssetRows(committer: committer)
        return try transaction.unneededCustodies(by: relay, limit: limit).compactMap { custody in
            // The next request to the relay is one for the record.
            if isOwnRelay(custody.relay), let row = try transaction.payload(custody.payload),
                try rows.zoneKeptAtRelays(row, &settings, in: transaction) != nil
            {
                return nil
            }
            return CustodyJob(.release, relay: custody.relay, zone: custody.zone, payload: custody.payload)
        }
    }

    /// Whether a recipient of a message has not got a payload.
    private func isAwaited(_ payload: PayloadID, in transaction: some NodeTransaction) throws -> Bool {
        try transaction.messages(with: payload).contains { $0.state == .sent && !$0.isSettled }
    }

    /// Whether a record has a payload kept at the relays of this account.
    func isKeptForRecord(_ payload: PayloadID, in transaction: some NodeTransaction) throws -> Bool {
        guard let row = try transaction.payload(payload) else { return false }
        var settings: [ZoneID: Bool] = [:]
        return try AssetRows(committer: committer).zoneKeptAtRelays(row, &settings, in: transaction) != nil
    }

    /// Whether another device of this account is a relay.
    private func isOwnRelay(_ device: DeviceID) -> Bool {
        device != committer.device && committer.account.standing(of: device) == .active(.relayOnly)
    }

    // MARK: Relays that are gone

    /// Promises that one transaction forgets.
    private static let forgottenCount = 1_024

    /// Whether a device may keep payloads: a relay of an account that is known here.
    private func mayKeep(_ device: DeviceID) -> Bool {
        isOwnRelay(device) || committer.accounts.values.contains { $0.standing(of: device) == .active(.relayOnly) }
    }

    private func goneRelay(in transaction: some NodeTransaction) throws -> DeviceID? {
        try transaction.promisingRelays().first { !mayKeep($0) }
    }

    /// Whether ``forgetGone(in:)`` has something to do.
    func hasGone(in transaction: some NodeTransaction) throws -> Bool { try goneRelay(in: transaction) != nil }

    /// Forgets some promises of a relay that was removed from its account.
    /// - Returns: Whether there may be more.
    func forgetGone(in transaction: inout some NodeTransaction) throws -> Bool {
        guard let relay = try goneRelay(in: transaction) else { return false }
        return try transaction.removeCustodies(by: relay, limit: Self.forgottenCount)
    }

    /// The relays of this account that have promised to keep a payload for some time to come, with the ends of their promises.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - transaction: The store.
    /// - Returns: The promises, by relay; none of a relay that was removed.
    /// - Throws: Any error of the store.
    /// - Complexity: O(promises about it).
    package func promises(
        about payload: PayloadID,
        in transaction: some NodeTransaction
    ) throws -> [CustodyRow] {
        try transaction.custodies(of: payload).filter {
            $0.until > committer.wallMilliseconds && isOwnRelay($0.relay)
        }
    }
}
