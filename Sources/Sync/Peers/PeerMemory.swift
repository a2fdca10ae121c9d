package import Wire

/// The store's memory of other devices: meetings, versions of the channel, and the logs that they hold.
package struct PeerMemory: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Remembers that this device met a member, and at which address.
    ///
    /// The address serves where mDNS does not work. The time serves checkpoints, which wait only so long for a device
    /// that stays away.
    /// - Parameters:
    ///   - other: The device.
    ///   - address: The address at which it can be reached; `nil` where there is none, or it is known.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func met(_ other: DeviceID, at address: String?, in transaction: inout some NodeTransaction) throws {
        var row = try Self.row(of: other, in: transaction)
        if let address { row.addresses = Array(([address] + row.addresses.filter { $0 != address }).prefix(4)) }
        // A clock that is turned back, and a machine that starts with another one, do not make it longer ago.
        row.lastSeenMilliseconds = max(row.lastSeenMilliseconds, committer.sinceMilliseconds)
        try transaction.save(row)
    }

    /// Remembers the version of the channel spoken with a member; no lower one is spoken with it again.
    /// - Parameters:
    ///   - version: The version; one that is not higher than the remembered one changes nothing.
    ///   - other: The device.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
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

    /// Remembers the log sizes that a device holds durably.
    /// - Parameters:
    ///   - other: The device.
    ///   - sizes: The size of each log.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func acknowledged(
        by other: DeviceID,
        _ sizes: [LogKey: UInt64],
        in transaction: inout some NodeTransaction
    ) throws {
        assert(sizes.values.allSatisfy { $0 > 0 }, "a device acknowledges operations, and no empty log")
        try transaction.save(
            sizes.sorted { $0.key < $1.key }.map { AcknowledgementRow(device: other, key: $0.key, size: $0.value) }
        )
    }
}
