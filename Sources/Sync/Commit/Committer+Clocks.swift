import Identity
import Records
import Wire

// The reference times of this store: moments that have certainly passed, and the times since when devices are known.
extension Committer {
    /// Milliseconds of silence after which a device is no longer waited for: 90 days, from when it was last met, or
    /// from when this store learnt of it.
    package static let lapseMilliseconds: UInt64 = 90 * 24 * 60 * 60 * 1_000

    /// A moment that has passed by this clock and by those of most others: data that expired before it may be dropped
    /// for good; `nil` while no other device was heard.
    package var settledMilliseconds: UInt64? { witnesses.settledMilliseconds(wall: wallMilliseconds) }

    /// The earlier one of this clock and of most others' clocks, where any was heard: it serves periods of months.
    var soberMilliseconds: UInt64 {
        witnesses.count > 0 ? min(wallMilliseconds, witnesses.median) : wallMilliseconds
    }

    /// The later one of this clock and of the clocks of most other devices, where any was heard: the time to note as
    /// the beginning of a state.
    ///
    /// A time noted by a clock that is years behind would lie years in the past once that clock is right.
    var sinceMilliseconds: UInt64 {
        witnesses.count > 0 ? max(wallMilliseconds, witnesses.median) : wallMilliseconds
    }

    // MARK: Since when devices are known

    /// Returns the times since when this store knows devices, by its own clock or by most others' clocks where they
    /// are later.
    /// - Parameter transaction: The store.
    /// - Returns: The times.
    /// - Throws: `StorageError` `corrupt`, or an error of the store.
    package func knownDevices(in transaction: some NodeTransaction) throws -> KnownDevices {
        guard let stored = try transaction.value(named: Self.knownDevicesName) else { return KnownDevices() }
        do {
            return try KnownDevices(decoding: stored)
        } catch {
            throw StorageError(
                code: .corrupt,
                message: "the stored times at which devices were added are damaged: \(error)"
            )
        }
    }

    /// Notes which devices are known now.
    /// - Parameter transaction: The store.
    /// - Throws: As ``knownDevices(in:)``.
    /// - Complexity: O(devices of all accounts that are known).
    func noteKnownDevices(in transaction: inout some NodeTransaction) throws {
        let before = try knownDevices(in: transaction)
        var known = before
        let active = accounts.values.flatMap { state in
            state.activeDevices.map { KnownDevices.Key($0, of: state.account) }
        }
        known.update(Set(active), wall: sinceMilliseconds)
        if known != before { try transaction.setValue(known.encoded, named: Self.knownDevicesName) }
    }

    /// Corrects times that were noted while this machine's clock was ahead: a time in the future becomes now.
    ///
    /// Nothing is corrected unless others' clocks agree with this one.
    /// - Parameter transaction: The store.
    /// - Returns: The notice; without a number when there was nothing to correct.
    /// - Throws: As ``knownDevices(in:)``.
    package func correctTimes(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard witnesses.agree(with: wallMilliseconds) else { return CommitNotice() }
        var known = try knownDevices(in: transaction)
        let hasChanged = known.correct(wall: wallMilliseconds)
        if hasChanged { try transaction.setValue(known.encoded, named: Self.knownDevicesName) }
        let (peers, prekeys) = (try peersToCome(transaction), try prekeysToCome(transaction))
        for var row in peers {
            row.lastSeenMilliseconds = wallMilliseconds
            try transaction.save(row)
        }
        for var row in prekeys {
            row.superseded = wallMilliseconds
            try transaction.save(row)
        }
        guard hasChanged || !peers.isEmpty || !prekeys.isEmpty else { return CommitNotice() }
        return CommitNotice(number: try transaction.nextCommitNumber())
    }

    /// Whether ``correctTimes(in:)`` has something to do.
    package func hasTimesToCorrect(in transaction: some NodeTransaction) throws -> Bool {
        guard witnesses.agree(with: wallMilliseconds) else { return false }
        var known = try knownDevices(in: transaction)
        return try known.correct(wall: wallMilliseconds) || !peersToCome(transaction).isEmpty
            || !prekeysToCome(transaction).isEmpty
    }

    private func peersToCome(_ transaction: some NodeTransaction) throws -> [PeerRow] {
        try transaction.peers().filter { $0.lastSeenMilliseconds > wallMilliseconds }
    }

    private func prekeysToCome(_ transaction: some NodeTransaction) throws -> [PrekeyRow] {
        try transaction.prekeys(supersededBy: .max, limit: Inbox.chunkCount)
            .filter { $0.superseded.map { $0 > wallMilliseconds } ?? false }
    }

    private static let knownDevicesName = "devices.known"

    /// Returns the devices for which a checkpoint does not wait any more: they were not met for
    /// ``lapseMilliseconds``, or, where they were never met, they have been known for so long.
    /// - Parameters:
    ///   - devices: The devices.
    ///   - transaction: The store.
    /// - Returns: Those of them, in the same order.
    /// - Throws: As ``knownDevices(in:)``.
    func lapsed(_ devices: [DeviceID], in transaction: some NodeTransaction) throws -> [DeviceID] {
        var last = try knownDevices(in: transaction).since.reduce(into: [DeviceID: UInt64]()) { times, entry in
            times[entry.key.device] = max(times[entry.key.device] ?? 0, entry.value)
        }
        // For a device that this one met, the time runs from the meeting, even if the device became known again
        // later.
        for row in try transaction.peers() where row.lastSeenMilliseconds > 0 {
            last[row.device] = row.lastSeenMilliseconds
        }
        let now = soberMilliseconds
        return devices.filter { other in
            guard other != device, let time = last[other] else { return false }
            return now > time && now - time > Self.lapseMilliseconds
        }
    }
}
