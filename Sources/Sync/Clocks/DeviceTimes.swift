import Identity
import Records
import Wire

/// The times since when this store knows devices, and the devices that no checkpoint waits for any more.
package struct DeviceTimes: Sendable {
    /// Milliseconds of silence after which a device is no longer waited for: 90 days, from when it was last met, or
    /// from when this store learnt of it.
    package static let lapseMilliseconds: UInt64 = 90 * 24 * 60 * 60 * 1_000

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Returns the times since when this store knows devices, by its own clock or by most others' clocks where they
    /// are later.
    /// - Parameter transaction: The store.
    /// - Returns: The times.
    /// - Throws: `StorageError` `corrupt`, or an error of the store.
    package func known(in transaction: some NodeTransaction) throws -> KnownDevices {
        try transaction.knownDevices()
    }

    /// Notes which devices are known now.
    /// - Parameter transaction: The store.
    /// - Throws: As ``known(in:)``.
    /// - Complexity: O(devices of all accounts that are known).
    func note(in transaction: inout some NodeTransaction) throws {
        let before = try known(in: transaction)
        var known = before
        let active = committer.accounts.values.flatMap { state in
            state.activeDevices.map { KnownDevices.Key($0, of: state.account) }
        }
        known.update(Set(active), wall: committer.sinceMilliseconds)
        if known != before { try transaction.save(known) }
    }

    /// Corrects times that were noted while this machine's clock was ahead: a time in the future becomes now.
    ///
    /// Nothing is corrected unless others' clocks agree with this one.
    /// - Parameter transaction: The store.
    /// - Returns: The notice; without a number when there was nothing to correct.
    /// - Throws: As ``known(in:)``.
    package func correct(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard committer.witnesses.agree(with: committer.wallMilliseconds) else { return CommitNotice() }
        var known = try known(in: transaction)
        let hasChanged = known.correct(wall: committer.wallMilliseconds)
        if hasChanged { try transaction.save(known) }
        let (peers, prekeys) = (try peersToCome(transaction), try prekeysToCome(transaction))
        for var row in peers {
            row.lastSeenMilliseconds = committer.wallMilliseconds
            try transaction.save(row)
        }
        for var row in prekeys {
            row.superseded = committer.wallMilliseconds
            try transaction.save(row)
        }
        guard hasChanged || !peers.isEmpty || !prekeys.isEmpty else { return CommitNotice() }
        return CommitNotice(number: try transaction.nextCommitNumber())
    }

    /// Whether ``correct(in:)`` has something to do.
    package func hasToCorrect(in transaction: some NodeTransaction) throws -> Bool {
        guard committer.witnesses.agree(with: committer.wallMilliseconds) else { return false }
        var known = try known(in: transaction)
        return try known.correct(wall: committer.wallMilliseconds) || !peersToCome(transaction).isEmpty
            || !prekeysToCome(transaction).isEmpty
    }

    private func peersToCome(_ transaction: some NodeTransaction) throws -> [PeerRow] {
        try transaction.peers().filter { $0.lastSeenMilliseconds > committer.wallMilliseconds }
    }

    private func prekeysToCome(_ transaction: some NodeTransaction) throws -> [PrekeyRow] {
        try transaction.prekeys(supersededBy: .max, limit: Inbox.chunkCount)
            .filter { $0.superseded.map { $0 > committer.wallMilliseconds } ?? false }
    }

    /// Returns the devices for which a checkpoint does not wait any more: they were not met for
    /// ``lapseMilliseconds``, or, where they were never met, they have been known for so long.
    /// - Parameters:
    ///   - devices: The devices.
    ///   - transaction: The store.
    /// - Returns: Those of them, in the same order.
    /// - Throws: As ``known(in:)``.
    func lapsed(_ devices: [DeviceID], in transaction: some NodeTransaction) throws -> [DeviceID] {
        var last = try known(in: transaction).since.reduce(into: [DeviceID: UInt64]()) { times, entry in
            times[entry.key.device] = max(times[entry.key.device] ?? 0, entry.value)
        }
        // For a device that this one met, the time runs from the meeting, even if the device became known again
        // later.
        for row in try transaction.peers() where row.lastSeenMilliseconds > 0 {
            last[row.device] = row.lastSeenMilliseconds
        }
        let now = committer.soberMilliseconds
        return devices.filter { other in
            guard other != committer.device, let time = last[other] else { return false }
            return now > time && now - time > Self.lapseMilliseconds
        }
    }
}
