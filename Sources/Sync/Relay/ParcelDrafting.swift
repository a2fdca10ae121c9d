import Identity
import Records
import Wire

/// Parcels for devices that are offline, to be left on relays.
package struct ParcelDrafting: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Drafts a parcel of content to be left for a device now, as much as fits.
    ///
    /// Content that the device has acknowledged, or that was left for it before, is not included.
    /// - Parameters:
    ///   - demand: The receiving device, and further messages to include.
    ///   - byteCount: The intended size: the bytes of messages, each with those of its length. A single run may need
    ///     more.
    ///   - transaction: The store.
    /// - Returns: The draft; `nil` when nothing is to be left.
    /// - Throws: Any error of the store.
    /// - Complexity: O(logs), and the runs that are read.
    package func draft(
        _ demand: ParcelDemand,
        byteCount: Int = ParcelDraft.usualByteCount,
        in transaction: some NodeTransaction
    ) throws -> ParcelDraft? {
        guard demand.device != committer.device,
            committer.accounts[demand.account]?.activeDevices.contains(demand.device) ?? false
        else { return nil }
        var filling = Filling(room: byteCount)
        for zone in try zones(for: demand, transaction) {
            try fill(&filling, with: zone, demand, transaction)
            if filling.isFull { break }
        }
        guard !filling.messages.isEmpty else { return nil }
        return ParcelDraft(
            messages: filling.messages,
            stretches: filling.stretches,
            hasMore: filling.isFull && !filling.stretches.isEmpty
        )
    }

    /// Returns the zones from which content may be left for a device.
    private func zones(for demand: ParcelDemand, _ transaction: some NodeTransaction) throws -> [ZoneRow] {
        guard demand.account != committer.account.account else {
            return try transaction.zones().filter {
                $0.state == .live && committer.isCurrent($0) && $0.role != .unknown
            }
        }
        return try demand.zones.compactMap { try transaction.zone($0) }.filter { zone in
            guard zone.state == .live, committer.isCurrent(zone), zone.role != .unknown else { return false }
            let authority = try ZoneViews(committer).authority(of: zone, in: transaction)
            guard authority.parties.contains(demand.account) else { return false }
            // A device that has lost its access learns of it in sessions, with the reason.
            return authority.access(of: demand.device, in: demand.account, at: committer.wallMilliseconds)
                == .everything
                && authority.ownAccess(
                    of: committer.device,
                    in: committer.account.account,
                    at: committer.wallMilliseconds
                ) == .everything
        }
    }

    /// A parcel that is being filled.
    private struct Filling {
        var room: Int
        var used = 0
        var messages: [[UInt8]] = []
        var stretches: [PostedParcelRow.Stretch] = []
        var isFull = false

        /// - Returns: False if there is no room for the message; then the parcel is full.
        mutating func append(_ message: PeerMessage) -> Bool {
            let bytes = message.encoded
            let size = ParcelDraft.byteCount(ofMessage: bytes.count)
            // A message that is too large for the room gets a parcel of its own.
            let limit = stretches.isEmpty ? max(room, ParcelDraft.byteCountMax - used) : room
            guard size <= limit, messages.count < Limits.parcelMessageCountMax else {
                isFull = true
                return false
            }
            room -= size
            used += size
            messages.append(bytes)
            return true
        }
    }

    private func fill(
        _ filling: inout Filling,
        with zone: ZoneRow,
        _ demand: ParcelDemand,
        _ transaction: some NodeTransaction
    ) throws {
        let logs = try transaction.logs(zone: zone.id)
        if demand.acknowledges {
            let held = logs.filter { $0.size > 0 }.map {
                AcknowledgedLog(actor: $0.key.actor, lane: $0.key.lane, size: $0.size)
            }
            let message = PeerMessage.acknowledge(Acknowledge(zone: zone.id, logs: held))
            guard held.isEmpty || filling.append(message) else { return }
        }
        var known: [LogKey: UInt64] = [:]
        for row in try transaction.acknowledgements(zone: zone.id) where row.device == demand.device {
            known[row.key] = row.size
        }
        // Until it acknowledges the zone, the device may not have learnt of it.
        var isTold = !known.isEmpty
        for (key, size) in try transaction.postedSizes(for: demand.device, zone: zone.id) {
            known[key] = max(known[key] ?? 0, size)
        }
        // Control lanes before data lanes: data may refer to control operations.
        for log in logs.sorted(by: {
            ($0.key.lane == .control ? 0 : 1, $0.key) < ($1.key.lane == .control ? 0 : 1, $1.key)
        })
        where demand.forwards || log.device == committer.device {
            var from = known[log.key] ?? 0
            while from < log.size, !filling.isFull {
                // Another account has the zone by an invitation, or not at all.
                if !isTold, demand.account == committer.account.account {
                    isTold = true
                    let terms = ZoneTerms(genesis: zone.genesis, tagKey: zone.tagKey)
                    guard filling.append(.zoneTerms(terms)) else { return }
                }
                guard let next = try append(log.key, from: from, to: &filling, transaction) else { break }
                from = next
            }
            if filling.isFull { return }
        }
    }

    /// Adds a log's next stretch.
    /// - Returns: The size that the log has with it; `nil` when there is none, or it fits no parcel.
    private func append(
        _ key: LogKey,
        from: UInt64,
        to filling: inout Filling,
        _ transaction: some NodeTransaction
    ) throws -> UInt64? {
        let wanted = min(max(filling.room / 2, 1), Self.stretchByteCount)
        guard let run = try RunExchange(committer).run(key, from: from, byteCount: wanted, in: transaction),
            run.from == from || run.from < from && run.signedHead.head.size > from
        else { return nil }
        let size = run.signedHead.head.size
        guard filling.append(.run(run)) else { return nil }
        assert(run.signedHead.head.key == key, "a stretch in a parcel is one of its log")
        filling.stretches.append(PostedParcelRow.Stretch(key: key, from: from, size: size))
        if filling.room < Self.stretchByteCount / 8 { filling.isFull = true }
        return size
    }

    /// The preferred size of a stretch in bytes: small stretches fill parcels better.
    private static let stretchByteCount = 262_144
}
