import Identity
package import Wire

/// A parcel that a device left for this one; the device is not there to be answered.
package struct MailDelivery: Sendable {
    /// Names the delivery: no session has this number.
    package var id: SessionID
    /// The device that left it, as proved by the key under which it was sealed.
    package var device: DeviceID
    /// The device's account.
    package var account: AccountID
    /// The messages, in the order in which they are to be taken.
    package var messages: [PeerMessage]

    /// Whether a message in it is to be acknowledged.
    package var isOwed: Bool {
        messages.contains { if case .run = $0 { true } else { false } }
    }

    /// Makes a delivery.
    /// - Parameters: as the properties of the same names.
    package init(id: SessionID, device: DeviceID, account: AccountID, messages: [PeerMessage]) {
        self.id = id
        self.device = device
        self.account = account
        self.messages = messages
    }
}

/// Runs of a delivery that the store is taking in.
struct MailProgress: Sendable {
    /// The awaited size of each log, in order.
    var awaited: [(key: LogKey, size: UInt64)] = []
    /// Whether all operations for which the store has answered are here, or not wanted.
    var isDone = true
}

// Messages that come through a mailbox. They go through the same checks as in a session, and are not answered: the
// sender leaves those that do not fit again, or sends them in a session.
extension SyncCore {
    mutating func mailed(_ delivery: MailDelivery, at now: UInt64, into effects: inout [SyncEffect]) {
        guard standing(of: delivery.device, in: delivery.account) == .active, sessions[delivery.id] == nil else {
            effects.append(.mailSettled(delivery.id, isDone: true))
            return
        }
        var progress = MailProgress()
        for message in delivery.messages {
            switch message {
            case .zoneTerms(let terms):
                let zone = ZoneID(terms.genesis)
                guard zones[zone] == nil, delivery.account == account else { continue }
                if isDerived(terms.genesis) {
                    effects.append(.write(.learn(delivery.id, zone, terms.genesis)))
                } else if terms.genesis.partner == nil || terms.genesis.owners.contains(account) {
                    effects.append(.write(.join(delivery.id, terms)))
                }
            case .acknowledge(let acknowledgement):
                mailed(acknowledgement, by: delivery, into: &effects)
            case .run(let run):
                let head = run.signedHead.head
                guard acceptance(of: head, from: delivery) else {
                    // The zone may come yet, from a device of this account.
                    if delivery.account != account, zones[head.key.zone] == nil { progress.isDone = false }
                    continue
                }
                if isOwn(head.device, head.incarnation) { checkOwn(head.key, size: head.size, into: &effects) }
                progress.awaited.append((head.key, head.size))
                effects.append(.write(.apply(delivery.id, run, head.key, .replication(liveSet: nil))))
            default:
                // Nothing else is left in mailboxes.
                continue
            }
        }
        guard !progress.awaited.isEmpty else {
            effects.append(.mailSettled(delivery.id, isDone: progress.isDone))
            return
        }
        deliveries[delivery.id] = progress
    }

    /// Whether a run that a device left is taken.
    private func acceptance(of head: TreeHead, from delivery: MailDelivery) -> Bool {
        if delivery.account == account { return true }
        guard let authority = authorities[head.key.zone] else { return false }
        let theirs = authority.acceptance(from: delivery.device, in: delivery.account, at: wall)
        return theirs == .everything
            && authority.ownAccess(of: localDevice, in: account, at: wall) == .everything
    }

    /// Takes in the sizes that the device holds durably of the logs held here.
    private func mailed(
        _ acknowledgement: Acknowledge,
        by delivery: MailDelivery,
        into effects: inout [SyncEffect]
    ) {
        let zone = acknowledgement.zone
        guard let snapshot = zones[zone],
            delivery.account == account || authorities[zone]?.parties.contains(delivery.account) == true
        else { return }
        var rows: [LogKey: UInt64] = [:]
        for log in acknowledgement.logs {
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            let ours = snapshot.size(key)
            if isOwn(key, snapshot), log.size > max(ours, ownSizes[key] ?? 0) {
                // More than was ever written here is another history.
                checkOwn(key, size: log.size, into: &effects)
                continue
            }
            let durable = min(log.size, ours)
            if durable > 0 { rows[key] = durable }
        }
        if !rows.isEmpty { effects.append(.write(.acknowledge(delivery.device, rows))) }
    }

    /// One run of a delivery was dealt with.
    mutating func mailApplied(
        _ outcome: RunOutcome,
        of key: LogKey,
        in delivery: SessionID,
        into effects: inout [SyncEffect]
    ) {
        guard var progress = deliveries[delivery],
            let index = progress.awaited.firstIndex(where: { $0.key == key })
        else { return }
        let size = progress.awaited.remove(at: index).size
        let wrong: Anomaly? =
            switch outcome {
            case .violation(let reason): Anomaly(.violation, zone: key.zone, detail: reason)
            case .brokenLog(let author, let reason):
                Anomaly(.brokenLog, author: author, zone: key.zone, detail: reason)
            default: nil
            }
        if let wrong { report(wrong, on: delivery, into: &effects) }
        switch outcome {
        case .durable, .unwanted, .controlLogFull, .violation, .fork, .forkKnown, .contradiction:
            break
        case .misplaced, .unexplained:
            // Held already, or something before it is not here.
            if zones[key.zone]?.size(key) ?? 0 < size { progress.isDone = false }
        case .brokenLog, .storageFull, .storageFailed:
            progress.isDone = false
        }
        guard progress.awaited.isEmpty else {
            deliveries[delivery] = progress
            return
        }
        deliveries[delivery] = nil
        effects.append(.mailSettled(delivery, isDone: progress.isDone))
    }
}
