import Capabilities
import Identity
package import Records
package import Wire

/// The answer to a guest is larger than a message; nothing of the request was written.
package struct GuestAnswerTooLarge: Error {}

/// Performs writes in public zones for accounts that have no right there.
package struct GuestWrites: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Writes a guest's request under this store's name, as far as the zone lets the guest.
    ///
    /// The caller has verified the guest's log and that the device holds its key. A new record names the guest's
    /// device as its creator; an existing record keeps its creator. Records of daemons are not written for guests.
    /// Nothing of an atomic request is written if any part of it is refused.
    /// - Parameters:
    ///   - attempt: The guest and its request.
    ///   - transaction: The store.
    /// - Returns: The answer; the notice has no number when nothing was written.
    /// - Throws: ``GuestAnswerTooLarge``, `ReplicaError`, or an error of the store; nothing must be kept then.
    package func serve(
        _ attempt: GuestAttempt,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<GuestAnswer.Outcome> {
        let zone = attempt.write.zone
        guard let row = try transaction.zone(zone), committer.isCurrent(row), !row.isInternal else {
            return Changed(.refused(.unknownZone))
        }
        guard row.state == .live else { return Changed(.refused(.zoneGone)) }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        if let refusal = try refusal(of: attempt, in: rights, in: transaction) {
            return Changed(.refused(refusal))
        }
        let guest = GuestAuthor(device: attempt.device) {
            [subject = subject(of: attempt), wallMilliseconds = committer.wallMilliseconds] in
            // A message, receipts or a prekey that this device wrote for a guest would be its own.
            guard !ReservedType.isReserved($0) else { return false }
            let creator = $2.map { attempt.isCreator($0) ? attempt.account.account : .zero }
            let decision = Authorisation.decide(
                .write(AccessRequest.Write(type: $0, name: $1, creator: creator)),
                by: subject,
                state: rights.state,
                directory: rights.directory,
                now: wallMilliseconds
            )
            return if case .allowed = decision { true } else { false }
        }
        let request = WriteRequest(attempt.write.writes.map { RecordWrite($0) }, isAtomic: attempt.write.isAtomic)
        return try committer.tracking(zone, in: &transaction) { transaction in
            let commit = try committer.write([request], zone: zone, for: guest, in: &transaction)
            assert(commit.results.map(\.count) == [attempt.write.writes.count], "each write of a guest is decided")
            let outcome = GuestAnswer.Outcome.decided(try (commit.results.first ?? []).map { try GuestResult($0) })
            guard outcome.fitsMessage else { throw GuestAnswerTooLarge() }
            return Changed(outcome, notice: CommitNotice(commit))
        }
    }

    /// Whether a device that rules the zone has to make writes for this one: this account may not make some of them
    /// itself, and the zone's public access allows them.
    /// - Parameters:
    ///   - writes: The writes, in order.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: False also where nothing allows them: then the store refuses them.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    /// - Complexity: O(writes); for a zone in which the account has no right to write everything also as ``ZoneViews/controlState(_:in:)``.
    package func needsHost(
        _ writes: [RecordWrite],
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        guard !row.role.writesEverything, row.state == .live, committer.isCurrent(row), !row.isInternal else {
            return false
        }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        guard rights.state.publicAccess != .none else { return false }
        var records: [BytewiseString: (type: String, creator: DeviceID?)] = [:]
        for write in writes {
            let name = BytewiseString(write.name)
            let (type, creator) = try records[name] ?? known(write.name, zone: zone, in: transaction)
            let newType = creator == nil ? write.type ?? "" : type
            // Records of this account's other devices are its own where it has a right; no guest proves that it is several devices.
            let isOwn = creator.map { committer.account.devices[$0] != nil } ?? false
            let own = creator.map { _ in isOwn ? committer.account.account : .zero }
            if !isAllowed(newType, write.name, own, rights, isPublic: false) {
                let proven = creator.map { $0 == committer.device ? committer.account.account : .zero }
                if isAllowed(newType, write.name, proven, rights, isPublic: true) { return true }
            }
            records[name] = (newType, write.delete ? nil : creator ?? committer.device)
        }
        return false
    }

    /// Whether this device may write a record, by the capabilities of its account or by the zone's public access.
    private func isAllowed(
        _ type: String,
        _ name: String,
        _ creator: AccountID?,
        _ rights: ZoneRights,
        isPublic: Bool
    ) -> Bool {
        let decision = Authorisation.decide(
            .write(AccessRequest.Write(type: type, name: name, creator: creator)),
            by: .device(committer.device, of: committer.account.account),
            state: rights.state,
            directory: rights.directory,
            now: committer.wallMilliseconds
        )
        guard case .allowed(let right) = decision else { return false }
        return (right == rights.state.publicAccessEntry) == isPublic
    }

    private func known(
        _ name: String,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> (type: String, creator: DeviceID?) {
        let tag = try RecordTag(of: name, zone: zone, in: transaction)
        guard let row = try transaction.record(zone: zone, tag: tag), !row.isDeleted else { return ("", nil) }
        return (row.type, try row.content().creator)
    }

    // MARK: The decision

    /// The reason why a guest's request is not even examined.
    private func refusal(
        of attempt: GuestAttempt,
        in rights: ZoneRights,
        in transaction: some NodeTransaction
    ) throws -> GuestRefusalCode? {
        let other = attempt.account.account
        // The log that was shown may be older than the one that is known here, in which the device was removed since.
        guard other != committer.account.account, attempt.account.standing(of: attempt.device) == .active(.full),
            committer.accounts[other]?.standing(of: attempt.device) != .removed
        else { return .badAccount }
        if try Blocklist(committer).contains(other, in: transaction) { return .refused }
        // Devices that may administer public access write for guests: the owner's, and those with the level admin.
        let ruling = Authorisation.decide(
            .administer(.publicAccess),
            by: .device(committer.device, of: committer.account.account),
            state: rights.state,
            directory: rights.directory,
            now: committer.wallMilliseconds
        )
        guard committer.mayWrite, case .allowed = ruling else { return .notHere }
        return nil
    }

    /// Returns the subject for decisions about a guest: an account whose log is kept here has the rights of known
    /// accounts, and its own.
    private func subject(of attempt: GuestAttempt) -> AccessSubject {
        let other = attempt.account.account
        guard case .active? = committer.accounts[other]?.standing(of: attempt.device) else { return .guest(other) }
        return .device(attempt.device, of: other)
    }
}

extension GuestAttempt {
    /// Whether a record that names this creator is the guest's.
    ///
    /// Only the device itself is proven: an account log names others as the account's, and they need not have agreed.
    fileprivate func isCreator(_ creator: DeviceID) -> Bool { creator == device }
}

extension LogRole {
    /// Whether the account may write every record, at any time of the clock.
    fileprivate var writesEverything: Bool {
        switch self {
        case .owner: true
        case .participant(let scope): scope.level >= .write && scope.caveats.limitNothing
        case .unknown, .ended: false
        }
    }
}

extension Caveats {
    /// Whether they narrow no write.
    fileprivate var limitNothing: Bool {
        recordTypes.isEmpty && namePrefix.isEmpty && notBefore == nil && expires == nil
    }
}

extension GuestResult {
    /// Makes the guest's answer from the result of one of its writes.
    fileprivate init(_ result: Result<RecordRow, WriteRefusal>) throws {
        switch result {
        case .success(let row):
            let body = GuestRecord(try row.content())
            self = .saved(version: row.version.bytes, milliseconds: row.time.milliseconds, body: body)
        case .failure(let refusal): self = .refused(Refusal(refusal))
        }
    }
}

extension GuestAnswer.Outcome {
    /// The answer to a guest.
    /// - Parameter result: The result or error of ``GuestWrites/serve(_:in:)``, or the reason why its transaction
    ///   failed.
    package init(_ result: Result<GuestAnswer.Outcome, any Error>) {
        switch result {
        case .success(let outcome): self = outcome
        case .failure(is GuestAnswerTooLarge): self = .refused(.tooLarge)
        case .failure(ReplicaError.unknownZone): self = .refused(.unknownZone)
        case .failure(ReplicaError.zoneClosed): self = .refused(.zoneGone)
        case .failure(is CommitError): self = .refused(.notHere)
        case .failure: self = .refused(.storage)
        }
    }
}
