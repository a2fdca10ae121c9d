import Identity
import Records
package import Wire

/// The recovery of a store that was rolled back.
///
/// It begins another incarnation, and repeats the operations of the old one where peers cannot prove the fork.
package struct RollbackRecovery: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Begins another lifetime of the store, if a head proves that this one's log goes on beyond its end here.
    /// - Parameters:
    ///   - signed: A head that a peer sent. It proves nothing unless this device signed it.
    ///   - random: For the new lifetime.
    ///   - transaction: The store.
    /// - Returns: The notice; nothing changed for a head that proves nothing, or when the store has caught up, or
    ///   writes another log already.
    /// - Throws: Any error of the store.
    /// - Complexity: One verified signature at most.
    package func renewIfBehind(
        _ signed: SignedTreeHead,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let head = signed.head
        // The core's sizes are a little older than the store's: a peer may return a head that this device has just
        // sent.
        let held = try transaction.log(head.key)?.size ?? 0
        guard case .renew = IncarnationDecision.afterPeerHead(size: head.size, held: held),
            head.device == committer.device, signed.hasValidSignature
        else { return CommitNotice() }
        guard let renewed = try renewedIncarnation(if: head.incarnation, random: &random, in: &transaction) else {
            return CommitNotice()
        }
        return CommitNotice(number: try transaction.nextCommitNumber(), renewed: renewed)
    }

    /// Begins another lifetime of the store: its writes from now on go to a new log.
    /// - Parameters:
    ///   - present: The lifetime to end; nothing happens if the store has another one.
    ///   - random: For the new lifetime.
    ///   - transaction: The store.
    /// - Returns: The new lifetime, to be announced once it is durable; `nil` when the store has another lifetime by
    ///   now.
    /// - Throws: Any error of the store.
    package func renewedIncarnation(
        if present: Incarnation,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Incarnation? {
        guard try present == transaction.incarnation() else { return nil }
        try noteShared(in: &transaction)
        let incarnation = Incarnation(using: &random)
        assert(incarnation != present, "a store that goes on under another name has another name")
        try transaction.save(incarnation)
        return incarnation
    }

    // MARK: Writing again

    /// Records how much of this store's present logs other devices hold, when one of these logs turns out to continue elsewhere.
    ///
    /// From now on peers state sizes of the other history, which do not apply to this one.
    func noteShared(in transaction: inout some NodeTransaction) throws {
        let incarnation = try transaction.incarnation()
        for zone in try transaction.zones() {
            for row in try transaction.logs(zone: zone.id)
            where row.key.lane == .data && row.device == committer.device && row.incarnation == incarnation {
                let size = try acknowledgedSize(row, in: transaction)
                guard size < row.size else { continue }
                try transaction.setSharedSize(size, of: row.key)
            }
        }
    }

    /// Returns how much of a log other devices hold as well, if it is one of this store that may continue elsewhere.
    ///
    /// A log that was closed because the store itself looked older than it should be does not qualify: everything in
    /// it was written before, and is the beginning of the log that other devices hold.
    /// - Returns: The greatest size for all other logs.
    func sharedSize(_ key: LogKey, _ author: DeviceID, in transaction: some NodeTransaction) throws -> UInt64 {
        guard key.lane == .data, author == committer.device, let row = try transaction.log(key), !row.isForked else {
            return .max
        }
        if try row.incarnation == transaction.incarnation() { return try acknowledgedSize(row, in: transaction) }
        return try transaction.sharedSize(of: key) ?? .max
    }

    /// Removes the note about a log that was continued: from then on it is the one that other devices hold.
    func forgetShared(_ key: LogKey, _ author: DeviceID, in transaction: inout some NodeTransaction) throws {
        guard author == committer.device, try transaction.sharedSize(of: key) != nil else { return }
        try transaction.setSharedSize(nil, of: key)
    }

    /// Repeats, under this store's present incarnation, the operations that were truncated from a log of its own.
    ///
    /// A device that may no longer write in the zone uses the right of the original log. That right has ended, so the
    /// new log is not effective: its operations are quarantined in this store, until the account has a right again.
    /// - Returns: Whether a reader sees other records than before.
    func writeAgain(_ unshared: Unshared, in transaction: inout some NodeTransaction) throws -> Bool {
        let zone = unshared.key.zone
        var opened: [RecordRow] = []
        let author = try authorOfUnshared(unshared.right, zone, noting: &opened, in: &transaction)
        let changed = try unshared.writeAgain(author: author, sign: committer.sign, in: &transaction)
        let ruled = author.role == .unknown ? try LogRulings(committer).rule(zone, in: &transaction)?.changed : nil
        return !(opened + changed + (ruled ?? [])).isEmpty
    }

    private func authorOfUnshared(
        _ right: Hash,
        _ zone: ZoneID,
        noting opened: inout [RecordRow],
        in transaction: inout some NodeTransaction
    ) throws -> Author {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        if row.role.mayAppend {
            return try EpochKeys(committer).prepareAuthor(in: zone, noting: &opened, &transaction)
        }
        guard let incarnation = try transaction.incarnation() else {
            throw StorageError(code: .corrupt, message: "the store does not state its incarnation")
        }
        return Author(
            device: committer.device,
            incarnation: incarnation,
            right: right,
            role: .unknown,
            actor: ActorID(device: committer.device, incarnation: incarnation, right: right),
            sealer: row.sealing == .open ? nil : try EpochKeys(committer).lastSealer(in: zone, transaction)
        )
    }

    /// Returns the greatest size of a log that a device has acknowledged, without sizes that no device can hold.
    private func acknowledgedSize(_ row: LogRow, in transaction: some NodeTransaction) throws -> UInt64 {
        try transaction.acknowledgements(zone: row.key.zone).lazy
            .filter { $0.key == row.key && $0.size <= row.size }.map(\.size).max() ?? 0
    }
}
