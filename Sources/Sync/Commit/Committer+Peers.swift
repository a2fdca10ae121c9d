package import Wire

// What is remembered of other devices.
extension Committer {
    /// Remembers that a member was met, and where: for the day on which mDNS does not work, and for checkpoints, which
    /// wait only so long for a device that stays away.
    /// - Parameters:
    ///   - other: The device.
    ///   - address: Where it can be reached; `nil` where that is nowhere, or known.
    ///   - transaction: The store.
    /// - Throws: What the store throws.
    package func met(_ other: DeviceID, at address: String?, in transaction: inout some NodeTransaction) throws {
        var row = try Self.row(of: other, in: transaction)
        if let address { row.addresses = Array(([address] + row.addresses.filter { $0 != address }).prefix(4)) }
        if !PlantedBug.lapseByFirstMeeting.isActive || row.lastSeenMilliseconds == 0 {
            // A clock that is turned back, and a machine that starts with another one, do not make it longer ago.
            row.lastSeenMilliseconds = max(row.lastSeenMilliseconds, sinceMilliseconds)
        }
        try transaction.save(row)
    }

    /// Remembers that a version of the channel was spoken with a member, below which nothing is spoken with it again.
    /// - Parameters:
    ///   - version: The version; one that is not higher than what is remembered changes nothing.
    ///   - other: The device.
    ///   - transaction: The store.
    /// - Throws: What the store throws.
    package func spoke(
        _ version: ChannelVersion,
        with other: DeviceID,
        in transaction: inout some NodeTransaction
    ) throws {
        var row = try Self.row(of: other, in: transaction)
        if let before = row.channelVersion, before >= version { return }
        row.channelVersion = version
        try transaction.save(row)
    }

    private static func row(of other: DeviceID, in transaction: some NodeTransaction) throws -> PeerRow {
        try transaction.peers().first { $0.device == other }
            ?? PeerRow(device: other, addresses: [], lastSeenMilliseconds: 0)
    }

    /// Remembers what a device holds durably.
    /// - Parameters:
    ///   - other: The device.
    ///   - sizes: How much of each log.
    ///   - transaction: The store.
    /// - Throws: What the store throws.
    package func acknowledged(
        by other: DeviceID,
        _ sizes: [LogKey: UInt64],
        in transaction: inout some NodeTransaction
    ) throws {
        try transaction.save(
            sizes.sorted { $0.key < $1.key }.map { AcknowledgementRow(device: other, key: $0.key, size: $0.value) }
        )
    }
}
