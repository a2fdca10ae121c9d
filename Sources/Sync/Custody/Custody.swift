import Capabilities
import Identity
import Records
package import Wire

/// The custody of payloads: relays keep them for devices that cannot be reached now.
///
/// A relay is a device of the role relay only: it has all records of the zone in sealed form, and learns of payloads
/// from the devices that have them, since their ids are sealed too. Senders ask for the payloads of their messages, and each device
/// of the relay's own account for the contents of records (``contents(_:in:)``).
package struct Custody: Sendable {
    /// How long a relay keeps a payload after it was last asked to: 30 days.
    package static let retentionMilliseconds: UInt64 = 30 * 24 * 60 * 60 * 1_000
    /// Bytes that a relay keeps for others, unless it is set otherwise: 10 GiB.
    package static let byteCountMax: UInt64 = 10 << 30
    /// Times of custody that differ by less are the same: a day.
    private static let slackMilliseconds: UInt64 = 24 * 60 * 60 * 1_000

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    // MARK: As the sender

    /// Returns the messages to relays about the payloads of messages, and about those that nothing needs any more.
    /// - Parameters:
    ///   - limit: The most jobs to return; the rest follows when some of these are done.
    ///   - transaction: The store.
    /// - Returns: The payloads that no relay need keep any more, then those to be kept, in the order in which they
    ///   were sent.
    /// - Throws: Any error of the store.
    /// - Complexity: O(limit + promises about payloads of messages), and once O(control operations) for each zone of such messages.
    package func jobs(limit: Int, in transaction: some NodeTransaction) throws -> [CustodyJob] {
        guard hasRelays else { return [] }
        // A quarter of the jobs is left to releases, and another one to contents of records.
        var jobs = try releases(limit: limit / 4, in: transaction)
        let end = limit - limit / 4
        var relays: [ZoneID: [DeviceID]] = [:]
        for message in try transaction.unsettledMessages(limit: limit) where jobs.count < end {
            guard let id = message.payload, let payload = try transaction.payload(id), payload.state == .present,
                payload.begun &+ Self.retentionMilliseconds > committer.wallMilliseconds
            else { continue }
            let known = try relays[message.zone] ?? self.relays(of: message.zone, in: transaction)
            relays[message.zone] = known
            jobs += known.map {
                CustodyJob(.keep, relay: $0, zone: message.zone, payload: id, byteCount: payload.paddedByteCount)
            }
        }
        return Array(jobs.prefix(end))
    }

    /// Remembers a relay's answer about a payload.
    ///
    /// A promise that was asked for a record is one for a record, also when it is asked for a message later: it stays until no record needs it.
    /// One that no record needs any more when the answer comes is released.
    /// - Parameters:
    ///   - answer: The answer.
    ///   - relay: The relay that answered.
    ///   - purpose: The data for which it was asked.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was known.
    /// - Throws: Any error of the store.
    package func note(
        _ answer: CustodyAnswer,
        by relay: DeviceID,
        for purpose: CustodyRequest.Kind = .message,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let known = try transaction.custodies(of: answer.payload).first { $0.relay == relay }
        guard case .stored(let until) = answer.outcome else {
            guard known != nil else { return CommitNotice() }
            // Without room for it among the contents of records, the relay goes on keeping what it has for a message.
            if purpose == .record, answer.outcome == .full { return CommitNotice() }
            try transaction.removeCustody(of: answer.payload, by: relay)
            return CommitNotice(number: try transaction.nextCommitNumber())
        }
        // The relay states it in each session: a time that is a little later is not worth a write.
        let kind: CustodyRequest.Kind =
            known?.kind == .record || purpose == .record
            ? try isKeptForRecord(answer.payload, in: transaction) ? .record : .message : .message
        if let known, known.kind == kind, known.until <= until, until - known.until < Self.slackMilliseconds {
            return CommitNotice()
        }
        let custody = CustodyRow(payload: answer.payload, zone: answer.zone, relay: relay, until: until, kind: kind)
        try transaction.save(custody)
        return CommitNotice(number: try transaction.nextCommitNumber())
    }

    /// Notes when all recipients of a message have answered: no relay need keep its payload.
    ///
    /// For a recipient that cannot answer it is kept until it expires, and so it is for one that cannot open a message
    /// which is sealed to devices: the message is sealed again for that one, which needs the payload then.
    /// - Parameters:
    ///   - row: The message.
    ///   - zone: Its zone, whose readers and statements are read once for all of its messages.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    func noteIfAnswered(
        _ row: inout MessageRow,
        _ zone: inout InboxZone,
        in transaction: inout some NodeTransaction
    ) throws {
        guard row.state == .sent, row.payload != nil, !row.isSettled,
            let record = try transaction.record(zone: row.zone, tag: row.tag),
            let message = try Message(record, device: zone.receipts.author)
        else { return }
        let recipients = try zone.recipients(of: row, message, record, by: committer, in: transaction)
        let isAwaited = recipients.contains { recipient in
            switch recipient.said {
            case .delivered, .read: false
            case .failed: row.secret != nil
            case nil: true
            }
        }
        guard !isAwaited else { return }
        row.isSettled = true
        try transaction.save(row)
    }

    /// Whether a relay has a message that was sent: its record by its own word, and its payload by its promise.
    func isRelayed(
        _ row: MessageRow,
        _ record: RecordRow,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        guard hasRelays, row.state == .sent else { return false }
        let relays = Set(try relays(of: row.zone, in: transaction))
        guard !relays.isEmpty else { return false }
        let key = LogKey(zone: row.zone, actor: record.creation.actor, lane: .data)
        let holders = try transaction.acknowledgements(zone: row.zone).filter {
            $0.key == key && $0.size >= record.creation.counter && relays.contains($0.device)
        }
        guard let payload = row.payload else { return !holders.isEmpty }
        let keepers = try transaction.custodies(of: payload).filter { $0.until > committer.wallMilliseconds }.map(
            \.relay
        )
        return holders.contains { keepers.contains($0.device) }
    }

    /// Whether a device of any account that is known here is a relay.
    private var hasRelays: Bool {
        committer.accounts.values.contains { $0.devices.values.contains { $0.role == .relayOnly } }
    }

    /// The relays of the accounts that take part in a zone, this device left out.
    private func relays(of zone: ZoneID, in transaction: some NodeTransaction) throws -> [DeviceID] {
        let state = try ZoneViews(committer).controlState(zone, in: transaction)
        let parties = Set([committer.account.account] + state.owners + state.participants.keys)
        return parties.compactMap { committer.accounts[$0] }.flatMap { known in
            known.activeDevices.filter { known.devices[$0]?.role == .relayOnly && $0 != committer.device }
        }.sorted()
    }

    // MARK: As a relay

    /// Decides whether a payload is kept for others, and for how long.
    ///
    /// Contents of records are kept for devices of this account alone.
    /// - Parameters:
    ///   - request: The request.
    ///   - sender: The device that asks.
    ///   - limit: The most bytes that are kept for others.
    ///   - transaction: The store.
    /// - Returns: The answer; nil while the payload is wanted and has to be fetched.
    /// - Throws: Any error of the store.
    package func take(
        _ request: CustodyRequest,
        from sender: DeviceID,
        limit: UInt64,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<CustodyAnswer.Outcome?> {
        // A reader keeps payloads for itself; it is no relay.
        let isOwn = owner(of: sender) == committer.account.account
        guard committer.account.standing(of: committer.device) == .active(.relayOnly),
            isOwn || request.kind == .message, let zone = try transaction.zone(request.zone), zone.state == .live
        else { return Changed(.refused) }
        let until = committer.wallMilliseconds + Self.retentionMilliseconds
        if let row = try transaction.payload(request.payload) {
            // All zones that are here are zones of the devices of this account.
            guard row.zone == request.zone || (isOwn && row.keptUntil != nil) else { return Changed(.refused) }
            return try keep(row, for: request, from: sender, until: until, limit: limit, in: &transaction)
        }
        guard request.byteCount > 0 else { return Changed(.refused) }
        guard try hasRoom(for: request.byteCount, request.kind, from: sender, limit: limit, in: transaction) else {
            return Changed(.full)
        }
        let row = PayloadRow(
            number: try Payloads(committer).nextNumber(in: &transaction),
            id: request.payload,
            zone: request.zone,
            state: .wanted,
            byteCount: request.byteCount,
            secret: nil,
            begun: committer.wallMilliseconds,
            sender: sender,
            keptUntil: until,
            keeping: request.kind == .record ? .record : .message
        )
        try transaction.save(row)
        return Changed(nil, notice: CommitNotice(number: try transaction.nextCommitNumber()))
    }

    /// Keeps a payload that is known here longer.
    private func keep(
        _ known: PayloadRow,
        for request: CustodyRequest,
        from sender: DeviceID,
        until: UInt64,
        limit: UInt64,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<CustodyAnswer.Outcome?> {
        assert(known.id == request.payload, "a payload is kept that was asked for")
        // From a device that does not have it, it cannot be fetched.
        guard request.byteCount > 0 || (known.state == .present && known.keptUntil != nil) else {
            return Changed(.refused)
        }
        let (asking, own) = (owner(of: sender), committer.account.account)
        let left = known.keptUntil == nil ? nil : known.sender.flatMap { owner(of: $0) }
        // A device prolongs nothing that another account has left here, and whose room it takes.
        if let left, left != asking, asking != own {
            return Changed(known.state == .present ? known.keptUntil.map { .stored(until: $0) } : nil)
        }
        var row = known
        row.keeping = Self.keeping(known, for: request, from: sender)
        if let left, left != asking { row.sender = sender }
        // It moves from the room of messages to that of records.
        if request.kind == .record, known.keptUntil != nil, known.keeping == .message,
            try !hasRoomForRecord(of: known.paddedByteCount, limit: limit, in: transaction)
        {
            return Changed(.full)
        }
        let isPromised = row.keptUntil.map { until - min($0, until) < Self.slackMilliseconds } ?? false
        if !isPromised { row.keptUntil = until }
        // A payload that only a record of an earlier time named is fetched for others.
        if [.remote, .evicted, .linked].contains(row.state) { row.state = .wanted }
        var notice = CommitNotice()
        if row != known {
            try transaction.save(row)
            notice.number = try transaction.nextCommitNumber()
        }
        let isStored = row.state == .present
        return Changed(isStored ? .stored(until: row.keptUntil ?? until) : nil, notice: notice)
    }

    /// The requests by which a payload is kept behind a further one.
    private static func keeping(
        _ row: PayloadRow,
        for request: CustodyRequest,
        from sender: DeviceID
    ) -> PayloadRow.Keeping {
        guard row.sender == sender, row.keptUntil == nil || row.keeping != .several else { return .several }
        let isForRecord = request.kind == .record || (row.keptUntil != nil && row.keeping == .record)
        return isForRecord ? .record : .message
    }

    /// Whether so much more may be kept for records: a quarter of the room is for messages alone.
    private func hasRoomForRecord(
        of byteCount: UInt64,
        limit: UInt64,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        let (held, room) = (try transaction.recordCustodyByteCount(), limit - limit / 4)
        return byteCount <= room && held <= room - byteCount
    }

    /// Whether so much more may be kept for a device: half of the room is for the devices of this account alone, and
    /// another device gets at most half of the rest, so that none can fill a relay for all.
    private func hasRoom(
        for byteCount: UInt64,
        _ kind: CustodyRequest.Kind,
        from sender: DeviceID,
        limit: UInt64,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        let own = committer.account.account
        var (all, ofOthers, ofSender) = (UInt64(0), UInt64(0), UInt64(0))
        let asking = owner(of: sender)
        for (device, count) in try transaction.custodyByteCounts() {
            let owner = owner(of: device)
            all &+= count
            if owner != own { ofOthers &+= count }
            if owner == asking { ofSender &+= count }
        }
        func fits(_ held: UInt64, _ limit: UInt64) -> Bool { byteCount <= limit && held <= limit - byteCount }
        guard fits(all, limit) else { return false }
        if kind == .record, try !hasRoomForRecord(of: byteCount, limit: limit, in: transaction) { return false }
        return asking == own || (fits(ofOthers, limit / 2) && fits(ofSender, limit / 4))
    }

    /// The account that a device is in, as far as is known here; this one's, if it is in several.
    private func owner(of device: DeviceID) -> AccountID? {
        if committer.account.devices[device] != nil { return committer.account.account }
        return committer.accounts.values.filter { $0.devices[device] != nil }.map(\.account).min()
    }

    /// Ends the custody of a payload at the request of the device that asked for it.
    ///
    /// Where other devices have asked as well, they count on it: it stays until its time is over.
    /// - Parameters:
    ///   - request: The payload.
    ///   - sender: The device that asks for the end.
    ///   - transaction: The store.
    /// - Returns: The answer.
    /// - Throws: Any error of the store.
    package func end(
        _ request: CustodyRequest,
        from sender: DeviceID,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<CustodyAnswer.Outcome?> {
        guard var row = try transaction.payload(request.payload), row.keptUntil != nil else {
            return Changed(.released)
        }
        guard row.zone == request.zone else { return Changed(.refused) }
        guard row.keeping != .several else { return Changed(.released) }
        guard row.sender == sender else { return Changed(.refused) }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        row.keptUntil = nil
        guard row.secret == nil else {
            try transaction.save(row)
            return Changed(.released, notice: notice)
        }
        // It cannot be used any more; a record that names it has it fetched again, by what that states.
        if row.state == .wanted { notice.noteUnwanted([request.payload], by: committer.account.account) }
        try AssetRows(committer: committer).forget(request.payload, in: &transaction)
        notice.hasUnseenAssets = true
        try Payloads(committer).release(row, in: &transaction)
        return Changed(.released, notice: notice)
    }
}
