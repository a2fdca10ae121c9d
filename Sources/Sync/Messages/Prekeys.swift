import Capabilities
import Identity
import Records
import Sodium
package import Wire

/// Prekeys: short-lived keys to which messages are sealed, so that an attacker with a device cannot open earlier
/// messages.
package struct Prekeys: Sendable {
    /// How long a prekey that was used stays the present one: a day.
    package static let presentMilliseconds: UInt64 = 24 * 60 * 60 * 1_000
    /// The time for which a replaced private half is kept: 37 days, for devices that were away for a month.
    package static let retentionMilliseconds: UInt64 = 37 * presentMilliseconds
    /// The time after which a prekey is restated that readers cannot see, because another device has written in its
    /// record.
    private static let restatementMilliseconds: UInt64 = 60 * 60 * 1_000

    /// The step that is due for the prekey of a zone.
    private enum Step {
        case begin
        case state(PrekeyRow)
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// The zones in which this device has to state a prekey now.
    /// - Parameter transaction: The store.
    /// - Returns: Their ids.
    /// - Throws: Any error of the store.
    /// - Complexity: O(zones), and O(control operations) of those that lack their first.
    package func zonesLacking(in transaction: some NodeTransaction) throws -> [ZoneID] {
        guard committer.envelopes != nil else { return [] }
        return try transaction.zones().filter { try committer.isCurrent($0) && step(in: $0, transaction) != nil }.map(
            \.id
        )
    }

    /// Whether a message makes a prekey due in a zone at once: it is the first one there, or was sealed to a prekey of
    /// this device that is not here.
    ///
    /// One that the time alone makes due is found by ``zonesLacking(in:)``.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Whether ``state(_:in:)`` is to be called before the zone's messages are answered.
    /// - Throws: Any error of the store.
    /// - Complexity: O(1), and O(control operations) as long as the zone has no prekey.
    package func isUrgent(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> Bool {
        guard committer.envelopes != nil, let row = try transaction.zone(zone), mayState(in: row) else { return false }
        guard let present = try transaction.presentPrekey(zone: zone) else { return try hasUse(in: row, transaction) }
        return present.state == .missed
    }

    /// States a prekey in a zone, if that is due.
    ///
    /// A used prekey is followed by another after a day. It is followed at once if a message came that is sealed to a
    /// prekey of this device that is not here.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was due.
    /// - Throws: As ``Committer/commit(_:zone:in:)``.
    package func state(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let envelopes = committer.envelopes, let zoneRow = try transaction.zone(zone),
            let step = try step(in: zoneRow, transaction)
        else { return CommitNotice() }
        var row: PrekeyRow
        switch step {
        case .state(let present):
            row = present
            row.stated = committer.wallMilliseconds
        case .begin:
            guard let seed = StoredSecret(committer.entropy.hash(.prekeySeed, zone.bytes)) else {
                return CommitNotice()
            }
            let key = try envelopes.encapsulationKey(seed: seed.bytes)
            if var before = try transaction.presentPrekey(zone: zone) {
                before.superseded = committer.wallMilliseconds
                try transaction.save(before)
            }
            row = PrekeyRow(
                id: PrekeyID(key: key),
                zone: zone,
                seed: seed,
                begun: committer.wallMilliseconds,
                stated: committer.wallMilliseconds
            )
        }
        assert(row.superseded == nil, "the prekey that is stated is the present one")
        try transaction.save(row)
        let prekey = Prekey(device: committer.device, key: try envelopes.encapsulationKey(seed: row.seed.bytes))
        let tag = try RecordTag(of: Prekey.name(of: committer.device), zone: zone, in: transaction)
        let write = prekey.write(in: StatementPlace(zone: zone, tag: tag), signedBy: committer.keys)
        // A reason to refuse the write, such as a narrow right, persists: this device tries again in an hour, and
        // until then others seal to the key of the certificate.
        return try committer.commit([WriteRequest([write])], zone: zone, in: &transaction).notice
    }

    /// Drops the private halves of prekeys to which no device can have sealed for long, at most ``Inbox/chunkCount``
    /// of them.
    /// - Parameter transaction: The store.
    /// - Returns: The notice; without a number when there were none.
    /// - Throws: Any error of the store.
    package func drop(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let rows = try superseded(limit: Inbox.chunkCount, in: transaction)
        guard !rows.isEmpty else { return CommitNotice() }
        for row in rows { try transaction.removePrekey(row.id) }
        return CommitNotice(number: try transaction.nextCommitNumber())
    }

    /// Whether ``drop(in:)`` has something to do.
    package func hasToDrop(in transaction: some NodeTransaction) throws -> Bool {
        try !superseded(limit: 1, in: transaction).isEmpty
    }

    private func superseded(limit: Int, in transaction: some NodeTransaction) throws -> [PrekeyRow] {
        // Content sealed to a dropped prekey can never be opened again.
        guard let settled = committer.settledMilliseconds, settled >= Self.retentionMilliseconds else { return [] }
        return try transaction.prekeys(
            supersededBy: settled - Self.retentionMilliseconds,
            limit: limit
        )
    }

    private func step(in zone: ZoneRow, _ transaction: some NodeTransaction) throws -> Step? {
        guard mayState(in: zone) else { return nil }
        guard let present = try transaction.presentPrekey(zone: zone.id) else {
            return try hasUse(in: zone, transaction) ? .begin : nil
        }
        switch present.state {
        case .missed: return .begin
        case .used where !isWithinADay(of: present.begun): return .begin
        case .unused, .used: break
        }
        let hour = Self.restatementMilliseconds
        guard committer.wallMilliseconds >= present.stated &+ hour || committer.wallMilliseconds < present.stated else {
            return nil
        }
        let stated = try prekey(
            of: committer.device,
            in: zone.id,
            MessageRecords(committer).authors(in: zone.id, transaction),
            transaction
        )
        return stated?.id == present.id ? nil : .state(present)
    }

    /// Whether a time is at most a day ago; one in the future is not.
    private func isWithinADay(of time: UInt64) -> Bool {
        committer.wallMilliseconds >= time && committer.wallMilliseconds - time < Self.presentMilliseconds
    }

    private func mayState(in zone: ZoneRow) -> Bool {
        guard committer.mayWrite, zone.state == .live, case .epoch = zone.sealing else { return false }
        switch zone.role {
        case .owner: return true
        case .participant(let scope):
            return scope.level >= .append && scope.caveats.allows(type: ReservedType.prekey)
                && scope.caveats.allows(name: Prekey.name(of: committer.device))
                // It makes no difference whether it is too early or too late.
                && (try? scope.caveats.checkTime(committer.wallMilliseconds)) != nil
        case .unknown, .ended: return false
        }
    }

    /// Whether messages are sealed to devices in a zone: all of them, or there have been messages.
    private func hasUse(in zone: ZoneRow, _ transaction: some NodeTransaction) throws -> Bool {
        guard try zone.genesis.history == .fromJoin || !transaction.messages(zone: zone.id, after: 0, limit: 1).isEmpty
        else { return false }
        return try ZoneRights(zone.id, of: committer, in: transaction).readers.keys.contains { $0 != committer.device }
    }

    // MARK: Sealing to devices

    /// Reads a device's prekey in a zone; `nil` for a device without one, or with a record in which another device
    /// wrote.
    private func prekey(
        of device: DeviceID,
        in zone: ZoneID,
        _ author: (ActorID) -> DeviceID?,
        _ transaction: some NodeTransaction
    ) throws -> Prekey? {
        let tag = try RecordTag(of: Prekey.name(of: device), zone: zone, in: transaction)
        guard let record = try transaction.record(zone: zone, tag: tag),
            let prekey = try Prekey(record, device: author), prekey.device == device
        else { return nil }
        return prekey
    }

    /// Seals the secret of a message to devices.
    ///
    /// It is sealed to their prekeys, or to the keys of their certificates where they have stated no prekey. A device
    /// without any key is left out.
    func seal(
        _ secret: StoredSecret,
        at place: SealedContent.Place,
        to readers: [DeviceID: AccountID],
        in transaction: some NodeTransaction
    ) throws -> [MessageEnvelope] {
        let author = try MessageRecords(committer).authors(in: place.zone, transaction)
        return try readers.keys.compactMap { reader in
            guard let recipient = try recipient(reader, readers, place.zone, author, transaction) else { return nil }
            return seal(secret, at: place, to: reader, recipient)
        }
    }

    /// Seals the secret of a message again to a device that could not open it.
    /// - Parameters:
    ///   - secret: The secret.
    ///   - place: The message.
    ///   - reader: The device.
    ///   - readers: The readers of the zone.
    ///   - envelope: The envelope that the device could not open; `nil` where it had none.
    ///   - author: The device of an actor that writes in the zone.
    ///   - transaction: The store.
    ///   - isAllowed: Asked where there is another key to seal to: whether it is done now.
    /// - Returns: `nil` where that would be no other envelope than the one it could not open, or it is not done now.
    /// - Throws: Any error of the store.
    func sealAgain(
        _ secret: StoredSecret,
        at place: SealedContent.Place,
        to reader: DeviceID,
        _ readers: [DeviceID: AccountID],
        instead envelope: MessageEnvelope?,
        by author: (ActorID) -> DeviceID?,
        in transaction: some NodeTransaction,
        if isAllowed: () throws -> Bool
    ) throws -> MessageEnvelope? {
        guard let recipient = try recipient(reader, readers, place.zone, author, transaction) else { return nil }
        if let envelope, envelope.prekey == recipient.prekey { return nil }
        return try isAllowed() ? seal(secret, at: place, to: reader, recipient) : nil
    }

    private struct Recipient {
        let key: [UInt8]
        let prekey: PrekeyID?
    }

    private func recipient(
        _ reader: DeviceID,
        _ readers: [DeviceID: AccountID],
        _ zone: ZoneID,
        _ author: (ActorID) -> DeviceID?,
        _ transaction: some NodeTransaction
    ) throws -> Recipient? {
        if let prekey = try prekey(of: reader, in: zone, author, transaction),
            committer.envelopes?.isKey(prekey.key) ?? false
        {
            return Recipient(key: prekey.key, prekey: prekey.id)
        }
        return EpochKeys(committer).encapsulationKey(of: reader, readers).map { Recipient(key: $0, prekey: nil) }
    }

    private func seal(
        _ secret: StoredSecret,
        at place: SealedContent.Place,
        to reader: DeviceID,
        _ recipient: Recipient
    ) -> MessageEnvelope? {
        let info = place.envelopeInfo(reader, recipient.prekey)
        // The key in a certificate may be malformed: then the device reads nothing until it states a valid one.
        guard
            let sealed = try? committer.envelopes?.seal(
                secret.bytes,
                to: recipient.key,
                info: info,
                entropy: committer.entropy
            )
        else {
            return nil
        }
        return MessageEnvelope(device: reader, prekey: recipient.prekey, sealed: sealed)
    }

    // MARK: Opening

    /// Replaces the present prekey, unless it was stated in this incarnation: then a sender that learns of the failure
    /// knows it already.
    private func miss(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws {
        guard var present = try transaction.presentPrekey(zone: zone) else { return }
        let tag = try RecordTag(of: Prekey.name(of: committer.device), zone: zone, in: transaction)
        let stated = try transaction.record(zone: zone, tag: tag)?.content().field(named: "key")?.entries.winner
        if let stated, case .bytes(let value) = stated.value, PrekeyID(key: Prekey.key(in: value)) == present.id,
            let incarnation = try transaction.incarnation(), let right = try transaction.zone(zone)?.right,
            stated.dot.actor == ActorID(device: committer.device, incarnation: incarnation, right: right)
        {
            return
        }
        present.state = .missed
        try transaction.save(present)
    }

    /// Opens the envelope of a message to this device, and notes that its prekey was used, or is missed.
    /// - Returns: The secret; `nil` where there is no envelope for this device, or it does not open.
    func openEnvelope(
        of sealed: SealedContent,
        at place: SealedContent.Place,
        in transaction: inout some NodeTransaction
    ) throws -> StoredSecret? {
        guard let envelopes = committer.envelopes, let envelope = sealed.envelope(for: committer.device) else {
            return nil
        }
        var seed = committer.keys.encapsulationSeed()
        defer { ConstantTime.wipe(&seed) }
        if let id = envelope.prekey {
            guard var row = try transaction.prekey(id) else {
                try miss(place.zone, in: &transaction)
                return nil
            }
            if row.state == .unused {
                row.state = .used
                try transaction.save(row)
            }
            seed = row.seed.bytes
        }
        let info = place.envelopeInfo(committer.device, envelope.prekey)
        // The sender may have sealed something else.
        guard let opened = try? envelopes.open(envelope.sealed, seed: seed, info: info),
            let secret = StoredSecret(opened), sealed.open(secret, at: place) != nil
        else { return nil }
        return secret
    }
}
