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

/// The result of taking in a parcel.
package struct MailOutcome: Equatable, Sendable {
    /// The zones in which something has to come before a part of it can be taken in.
    package var awaited: Set<ZoneID>
    /// Whether the store had no room for a part of it, or failed otherwise.
    package var hasFailed: Bool

    /// Whether the store has all of it that is wanted, so that it need not come again.
    package var isDone: Bool { awaited.isEmpty && !hasFailed }

    /// Describes a result; by default all was taken in.
    /// - Parameters: as the properties of the same names.
    package init(awaited: Set<ZoneID> = [], hasFailed: Bool = false) {
        (self.awaited, self.hasFailed) = (awaited, hasFailed)
    }
}

/// Messages that come through a mailbox.
///
/// They go through the same checks as in a session, and are not answered: the sender leaves those that do not fit
/// again, or sends them in a session.
struct MailDeliveries: Sendable {
    /// Runs of a delivery that the store is taking in.
    private struct Progress {
        /// The awaited size of each log, in order.
        var awaited: [(key: LogKey, size: UInt64)] = []
        /// The result as far as the store has answered.
        var outcome = MailOutcome()
    }

    private var underWay: [SessionID: Progress] = [:]

    /// Takes in a delivery.
    mutating func take(_ delivery: MailDelivery, in replication: inout Replication) {
        let isFree = replication.sessions[delivery.id] == nil
        guard isFree, replication.rights.standing(of: delivery.device, in: delivery.account) == .active else {
            return finish(delivery.id, MailOutcome(), in: &replication)
        }
        var progress = Progress()
        for message in delivery.messages {
            switch message {
            case .zoneTerms(let terms): take(terms, of: delivery, in: &replication.context)
            case .acknowledge(let acknowledgement): take(acknowledgement, of: delivery, in: &replication.context)
            case .run(let run): take(run, of: delivery, &progress, in: &replication.context)
            default:
                // Nothing else is left in mailboxes.
                continue
            }
        }
        if progress.awaited.isEmpty {
            finish(delivery.id, progress.outcome, in: &replication)
        } else {
            underWay[delivery.id] = progress
        }
    }

    private func finish(_ delivery: SessionID, _ outcome: MailOutcome, in replication: inout Replication) {
        replication.context.effects.append(.mailSettled(delivery, outcome))
    }

    private func take(_ terms: ZoneTerms, of delivery: MailDelivery, in context: inout SyncContext) {
        let (zone, account) = (ZoneID(terms.genesis), context.rights.account)
        guard context.rights.zones[zone] == nil, delivery.account == account else { return }
        if context.rights.isDerived(terms.genesis) {
            context.write(.learn(delivery.id, zone, terms.genesis))
        } else if terms.genesis.partner == nil || terms.genesis.owners.contains(account) {
            context.write(.join(delivery.id, terms))
        }
    }

    private func take(
        _ run: Run,
        of delivery: MailDelivery,
        _ progress: inout Progress,
        in context: inout SyncContext
    ) {
        let head = run.signedHead.head
        let (rights, zone) = (context.rights, head.key.zone)
        let isOwn = delivery.account == rights.account
        guard isOwn || rights.acceptance(of: zone, from: delivery.device, in: delivery.account) == .everything else {
            // The zone may come yet, from a device of this account.
            if rights.zones[zone] == nil { progress.outcome.awaited.insert(zone) }
            return
        }
        context.checkOwn(run.signedHead)
        progress.awaited.append((head.key, head.size))
        context.write(.apply(delivery.id, run, head.key, .replication(liveSet: nil)))
    }

    /// Takes in the sizes that the device holds durably of the logs held here.
    private func take(_ acknowledgement: Acknowledge, of delivery: MailDelivery, in context: inout SyncContext) {
        let zone = acknowledgement.zone
        guard let snapshot = context.rights.zones[zone], context.rights.isMember(delivery.account, of: zone)
        else { return }
        var rows: [LogKey: UInt64] = [:]
        for log in acknowledgement.logs {
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            // More of our own log than we ever wrote: that is another history.
            if context.rights.isOwn(key, snapshot), context.rights.isAhead(key, size: log.size) { continue }
            let durable = min(log.size, snapshot.size(key))
            if durable > 0 { rows[key] = durable }
        }
        if !rows.isEmpty { context.write(.acknowledge(delivery.device, rows)) }
    }

    /// One run of a delivery was dealt with.
    mutating func applied(
        _ outcome: RunOutcome,
        of key: LogKey,
        in delivery: SessionID,
        _ replication: inout Replication
    ) {
        guard let index = underWay[delivery]?.awaited.firstIndex(where: { $0.key == key }),
            let size = underWay[delivery]?.awaited.remove(at: index).size
        else { return }
        switch outcome {
        case .durable, .unwanted, .controlLogFull, .fork, .forkKnown, .contradiction:
            break
        case .violation(let reason):
            replication.report(Anomaly(.violation, zone: key.zone, detail: reason), on: delivery)
        case .brokenLog(let author, let reason):
            let anomaly = Anomaly(.brokenLog, author: author, zone: key.zone, detail: reason)
            replication.report(anomaly, on: delivery)
            // A later head may be a better one.
            underWay[delivery]?.outcome.awaited.insert(key.zone)
        case .misplaced, .unexplained:
            // Held already, or something before it is not here.
            let isHeld = replication.rights.zones[key.zone]?.size(key) ?? 0 >= size
            if !isHeld { underWay[delivery]?.outcome.awaited.insert(key.zone) }
        case .storageFull, .storageFailed:
            underWay[delivery]?.outcome.hasFailed = true
        }
        guard let progress = underWay[delivery], progress.awaited.isEmpty else { return }
        underWay[delivery] = nil
        finish(delivery, progress.outcome, in: &replication)
    }
}
