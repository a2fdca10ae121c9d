import Records
package import Wire

/// The parcels that this device left on relays, and the follow-up on them.
package struct PostedParcels: Sendable {
    /// The time that a parcel may be missing without an acknowledgement before its content is left once more, in
    /// milliseconds: the device that took it may be about to acknowledge it.
    package static let missingMilliseconds: UInt64 = 600_000

    /// The number of parcels that are examined together.
    package static let countMax = 10_000

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Remembers that a relay keeps a parcel.
    /// - Parameters:
    ///   - parcel: The parcel.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func posted(_ parcel: PostedParcelRow, in transaction: inout some NodeTransaction) throws {
        parcel.assertValid()
        try transaction.save(parcel)
        for stretch in parcel.stretches {
            let before = try transaction.postedSizes(for: parcel.device, zone: stretch.key.zone)[stretch.key] ?? 0
            try transaction.setPostedSize(max(before, stretch.size), of: stretch.key, for: parcel.device)
        }
    }

    /// Returns the parcels left on a relay, and whether they are still needed there.
    /// - Parameters:
    ///   - relay: The relay.
    ///   - transaction: The store.
    /// - Returns: The parcels, at most ``countMax``, and of each whether all of it is acknowledged.
    /// - Throws: Any error of the store.
    package func all(
        on relay: RelayID,
        in transaction: some NodeTransaction
    ) throws -> [(parcel: PostedParcelRow, isSettled: Bool)] {
        var held: [ZoneID: [DeviceID: [LogKey: UInt64]]] = [:]
        return try transaction.postedParcels(on: relay, limit: Self.countMax).map { row in
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
    /// Parcels without an acknowledgement for ``missingMilliseconds`` are to be left again: the relay has lost
    /// them, or the device that took them had no place to keep them.
    /// - Parameters:
    ///   - parcels: The parcels, as they were read.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func missed(_ parcels: [PostedParcelRow], in transaction: inout some NodeTransaction) throws {
        for var parcel in parcels {
            guard let since = parcel.missingSince, since <= committer.wallMilliseconds else {
                parcel.missingSince = committer.wallMilliseconds
                try transaction.save(parcel)
                continue
            }
            guard parcel.stretches.isEmpty || committer.wallMilliseconds - since >= Self.missingMilliseconds else {
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
    package func forget(_ parcels: [PostedParcelRow], in transaction: inout some NodeTransaction) throws {
        for parcel in parcels { try transaction.remove(parcel) }
    }

    /// Schedules the content of parcels on relays that are no longer used to be left on another relay.
    /// - Parameters:
    ///   - used: The relays in use.
    ///   - transaction: The store.
    /// - Returns: Whether there were such parcels.
    /// - Throws: Any error of the store.
    package func leaveForgotten(
        but used: Set<RelayID>,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        let parcels = try transaction.postedParcels(on: nil, limit: Self.countMax)
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
        guard row.state == .sent, row.payload == nil else { return false }
        let key = LogKey(zone: row.zone, actor: record.creation.actor, lane: .data)
        return try transaction.postedSizes(for: device, zone: row.zone)[key] ?? 0 >= record.creation.counter
    }
}
