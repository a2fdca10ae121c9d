package import Identity
import Records
package import Wire

// Parcels that this device leaves on relays for devices that are offline, and the follow-up on them.
extension Committer {
    /// The time that a parcel may be missing without an acknowledgement before its content is left once more, in
    /// milliseconds: the device that took it may be about to acknowledge it.
    package static let missingParcelMilliseconds: UInt64 = 600_000

    /// The number of parcels that are examined together.
    package static let postedParcelCountMax = 10_000

    // MARK: The relays

    /// The relays that the account uses.
    /// - Parameter transaction: The store.
    /// - Returns: The one that was there first comes first; none while this device has no copy of the book.
    /// - Throws: Any error of the store.
    package func relays(_ transaction: some NodeTransaction) throws -> [RelayUse] {
        let entries: [RelayUse] = try AccountZone(self).entries(in: transaction)
        return entries.filter(\.isUsed).sorted { ($0.since, $0.link.relay) < ($1.since, $1.link.relay) }
    }

    /// Makes all devices of the account use a relay.
    /// - Parameters:
    ///   - link: The link to the relay, with the admission of the account.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it is used already, by the same link.
    /// - Throws: ``InviteError``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func use(_ link: RelayLink, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let before: RelayUse? = try AccountZone(self).entry(RelayUse.name(link.relay), in: transaction)
        if let before, before.isUsed, before.link == link { return CommitNotice() }
        let since = before.flatMap { $0.isUsed ? $0.since : nil } ?? wallMilliseconds
        return try AccountZone(self).save([RelayUse(link: link, since: since, isUsed: true).write], in: &transaction)
    }

    /// Makes all devices of the account stop using a relay.
    /// - Parameters:
    ///   - relay: The relay.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was not used.
    /// - Throws: ``InviteError``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func forgetRelay(_ relay: RelayID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let before: RelayUse = try AccountZone(self).entry(RelayUse.name(relay), in: transaction), before.isUsed else {
            return CommitNotice()
        }
        return try AccountZone(self).save([RelayUse(link: before.link, since: before.since, isUsed: false).write], in: &transaction)
    }

    // MARK: Parcels to leave

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
        guard demand.device != device,
            accounts[demand.account]?.activeDevices.contains(demand.device) ?? false
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
        if PlantedBug.leaveToOwnAlone.isActive, demand.account != account.account { return [] }
        guard demand.account != account.account, !PlantedBug.leaveAllZones.isActive else {
            return try transaction.zones().filter { $0.state == .live && isCurrent($0) && $0.role != .unknown }
        }
        return try demand.zones.compactMap { try transaction.zone($0) }.filter { zone in
            guard zone.state == .live, isCurrent(zone), zone.role != .unknown,
                let authority = try authorities([zone], in: transaction).first,
                authority.parties.contains(demand.account)
            else { return false }
            // A device that has lost its access learns of it in sessions, with the reason.
            return authority.access(of: demand.device, in: demand.account, at: wallMilliseconds) == .everything
                && authority.ownAccess(of: device, in: account.account, at: wallMilliseconds) == .everything
        }
    }

    /// A parcel that is being filled.
    private struct Filling {
        var room: Int
        var used = 0
        var messages: [[UInt8]] = []
        var stretches: [PostedParcelRow.Stretch] = []
        var isFull = false

        mutating func append(_ message: PeerMessage) -> Bool {
            let bytes = message.encoded
            let size = ParcelDraft.byteCount(ofMessage: bytes.count)
            // A message that is too large for the room gets a parcel of its own.
            let limit = stretches.isEmpty ? max(room, ParcelDraft.byteCountMax - used) : room
            guard size <= limit, messages.count < Limits.parcelMessageCountMax else { return false }
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
            if !held.isEmpty, !filling.append(.acknowledge(Acknowledge(zone: zone.id, logs: held))) {
                filling.isFull = true
                return
            }
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
        if PlantedBug.tellTermsOnce.isActive { isTold = !known.isEmpty }
        // Control lanes before data lanes: data may refer to control operations.
        for log in logs.sorted(by: {
            ($0.key.lane == .control ? 0 : 1, $0.key) < ($1.key.lane == .control ? 0 : 1, $1.key)
        })
        where demand.forwards || log.device == device {
            var from = known[log.key] ?? 0
            while from < log.size, !filling.isFull {
                // Another account has the zone by an invitation, or not at all.
                if !isTold, demand.account == account.account {
                    isTold = true
                    let terms = ZoneTerms(genesis: zone.genesis, tagKey: zone.tagKey)
                    guard filling.append(.zoneTerms(terms)) else {
                        filling.isFull = true
                        return
                    }
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
        guard let run = try run(key, from: from, byteCount: wanted, in: transaction),
            run.from == from || run.from < from && run.signedHead.head.size > from
        else { return nil }
        let size = run.signedHead.head.size
        guard filling.append(.run(run)) else {
            filling.isFull = true
            return nil
        }
        filling.stretches.append(PostedParcelRow.Stretch(key: key, from: from, size: size))
        if filling.room < Self.stretchByteCount / 8 { filling.isFull = true }
        return size
    }

    /// The preferred size of a stretch in bytes: small stretches fill parcels better.
    private static let stretchByteCount = 262_144

    // MARK: Outcomes

    /// Remembers that a relay keeps a parcel.
    /// - Parameters:
    ///   - parcel: The parcel.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func posted(_ parcel: PostedParcelRow, in transaction: inout some NodeTransaction) throws {
        try transaction.save(parcel)
        if PlantedBug.believeThePromise.isActive {
            let sizes = Dictionary(parcel.stretches.map { ($0.key, $0.size) }) { max($0, $1) }
            try acknowledged(by: parcel.device, sizes, in: &transaction)
        }
        for stretch in parcel.stretches {
            let before = try transaction.postedSizes(for: parcel.device, zone: stretch.key.zone)[stretch.key] ?? 0
            try transaction.setPostedSize(max(before, stretch.size), of: stretch.key, for: parcel.device)
        }
    }

    /// Returns the parcels left on a relay, and whether they are still needed there.
    /// - Parameters:
    ///   - relay: The relay.
    ///   - transaction: The store.
    /// - Returns: The parcels, at most ``postedParcelCountMax``, and of each whether all of it is acknowledged.
    /// - Throws: Any error of the store.
    package func postedParcels(
        on relay: RelayID,
        in transaction: some NodeTransaction
    ) throws -> [(parcel: PostedParcelRow, isSettled: Bool)] {
        var held: [ZoneID: [DeviceID: [LogKey: UInt64]]] = [:]
        return try transaction.postedParcels(on: relay, limit: Self.postedParcelCountMax).map { row in
            for zone in Set(row.stretches.map(\.key.zone)) where held[zone] == nil {
                var sizes: [DeviceID: [LogKey: UInt64]] = [:]
                for known in try transaction.acknowledgements(zone: zone) {
                    sizes[known.device, default: [:]][known.key] = known.size
                }
                held[zone] = sizes
            }
            let isSettled = row.stretches.allSatisfy { held[$0.key.zone]?[row.device]?[$0.key] ?? 0 >= $0.size }
            return (row, isSettled && !row.stretches.isEmpty)
        }
    }

    /// Takes note of parcels that are no longer on a relay.
    ///
    /// Parcels without an acknowledgement for ``missingParcelMilliseconds`` are to be left again: the relay has lost
    /// them, or the device that took them had no place to keep them.
    /// - Parameters:
    ///   - parcels: The parcels, as they were read.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func missed(_ parcels: [PostedParcelRow], in transaction: inout some NodeTransaction) throws {
        for var parcel in parcels where !PlantedBug.leaveOnce.isActive {
            guard let since = parcel.missingSince, since <= wallMilliseconds else {
                parcel.missingSince = wallMilliseconds
                try transaction.save(parcel)
                continue
            }
            guard parcel.stretches.isEmpty || wallMilliseconds - since >= Self.missingParcelMilliseconds else {
                continue
            }
            try leaveAgain(parcel, in: &transaction)
        }
    }

    /// Forgets parcels that are acknowledged in full.
    /// - Parameters:
    ///   - parcels: The parcels, as they were read.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func settled(_ parcels: [PostedParcelRow], in transaction: inout some NodeTransaction) throws {
        for parcel in parcels { try transaction.remove(parcel) }
    }

    /// Schedules the content of parcels on relays that are no longer used to be left on another relay.
    /// - Parameters:
    ///   - used: The relays in use.
    ///   - transaction: The store.
    /// - Returns: Whether there were such parcels.
    /// - Throws: Any error of the store.
    package func leaveForgottenRelays(
        but used: Set<RelayID>,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        let parcels = try transaction.postedParcels(on: nil, limit: Self.postedParcelCountMax)
            .filter { !used.contains($0.relay) }
        for parcel in parcels { try leaveAgain(parcel, in: &transaction) }
        return !parcels.isEmpty
    }

    private func leaveAgain(_ parcel: PostedParcelRow, in transaction: inout some NodeTransaction) throws {
        try transaction.remove(parcel)
        for stretch in parcel.stretches {
            let size = try transaction.postedSizes(for: parcel.device, zone: stretch.key.zone)[stretch.key] ?? 0
            // Operations that were left behind this stretch are of no use without it.
            try transaction.setPostedSize(min(size, stretch.from), of: stretch.key, for: parcel.device)
        }
    }

    /// Whether a relay is known to keep all of a message for a device; not so for a large one, whose payload no
    /// parcel carries.
    func isLeft(
        _ row: MessageRow,
        _ record: RecordRow,
        for device: DeviceID,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        guard row.standing == .sent, row.payload == nil else { return false }
        let key = LogKey(zone: row.zone, actor: record.creation.actor, lane: .data)
        return try transaction.postedSizes(for: device, zone: row.zone)[key] ?? 0 >= record.creation.counter
    }
}
