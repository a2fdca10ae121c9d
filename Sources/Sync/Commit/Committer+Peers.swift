package import Wire

// What is remembered of other devices.
extension Committer {
    /// Remembers that a member was met, and where: for the day on which mDNS does not work, and for checkpoints, which
    /// wait only so long for a device that stays away.
    /// - Parameters:
    ///   - other: The device.
    ///   - address: Where it can be reached.
    ///   - transaction: The store.
    /// - Throws: What the store throws.
    package func met(_ other: DeviceID, at address: String, in transaction: inout some NodeTransaction) throws {
        var row =
            try transaction.peers().first { $0.device == other }
            ?? PeerRow(device: other, addresses: [], lastSeenMilliseconds: 0)
        row.addresses = Array(([address] + row.addresses.filter { $0 != address }).prefix(4))
        row.lastSeenMilliseconds = wallMilliseconds
        try transaction.save(row)
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
