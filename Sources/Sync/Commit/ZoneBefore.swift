import Identity
import Records
import Wire

/// A zone before a change of it within a transaction, to find the effects of the change.
struct ZoneBefore {
    private let committer: Committer
    private let zone: ZoneID
    private let row: ZoneRow?
    private let sizes: [LogKey: UInt64]
    private let controls: [ControlPart]
    /// The end of the feed.
    private let position: UInt64

    /// Reads the zone before its change.
    init(_ zone: ZoneID, by committer: Committer, in transaction: some NodeTransaction) throws {
        let logs = try transaction.logs(zone: zone)
        self.committer = committer
        self.zone = zone
        row = try transaction.zone(zone)
        sizes = Dictionary(uniqueKeysWithValues: logs.map { ($0.key, $0.heldSize) })
        controls = ControlPart.all(of: logs)
        position = try transaction.newestPosition()
    }

    /// Adds the effects of the change to its notice: the logs and the feed that grew, and the consequences of
    /// another right or another end of a control log.
    func noteEffects(in notice: inout CommitNotice, _ transaction: inout some NodeTransaction) throws {
        let memory = notice.memory
        notice.memory = nil
        guard let now = try transaction.zone(zone) else { return }
        if let row, row.right != now.right || row.role != now.role {
            notice.zoneEvents.append((zone, try !ZoneViews(committer).isShown(now, in: transaction)))
        }
        // Statements about rights lose their effect where a control log is cut, or turns out to be
        // forked.
        let hasControlChanged = try controls != ControlPart.all(of: transaction.logs(zone: zone))
        let hasEvents = !notice.zoneEvents.isEmpty
        if hasControlChanged || row?.role != now.role || row?.state != now.state || hasEvents {
            if try FeedZones(committer).note(zone, always: hasEvents, in: &transaction) {
                notice.feed.insert(.others)
            }
            if try ZoneTransfers(committer).note(now, in: &transaction) { notice.offers.insert(zone) }
        }
        let snapshot = try ZoneViews(committer).snapshot(of: now, in: transaction)
        assert(snapshot.zone == zone, "a change is announced as one of its zone")
        var grown: [LogKey: UInt64] = [:]
        for (key, log) in snapshot.logs where log.size > sizes[key] ?? 0 { grown[key] = sizes[key] ?? 0 }
        let mayChangeRights = sizes.isEmpty || hasControlChanged
        notice.note(
            PeerNotice(
                of: committer.account.account,
                authorities: mayChangeRights ? [try ZoneViews(committer).authority(of: now, in: transaction)] : [],
                zones: [
                    PeerNotice.ZoneChange(
                        snapshot: snapshot,
                        before: grown,
                        tails: memory?.tails(of: snapshot, grown: grown) ?? [:]
                    )
                ]
            )
        )
        try noteFeed(memory, of: now, in: &notice, transaction)
    }

    /// Adds the entries by which the feed grew.
    private func noteFeed(
        _ memory: CommitMemory?,
        of now: ZoneRow,
        in notice: inout CommitNotice,
        _ transaction: some NodeTransaction
    ) throws {
        let end = try transaction.newestPosition()
        assert(end >= position, "the feed does not become shorter")
        guard end > position else { return }
        guard let memory else { return notice.feedGrew(by: nil) }
        let isShown = try !now.isDeleted && ZoneViews(committer).isShown(now, in: transaction)
        notice.feedGrew(
            by: FeedTail(
                of: now,
                memory.changed,
                bySync: memory.bySync,
                after: position,
                through: end,
                isShown: isShown
            )
        )
    }
}

/// The held size of a control log, and its effective size.
private struct ControlPart: Equatable {
    let key: LogKey
    let size: UInt64
    let ruling: LogRuling
    let fork: UInt64?

    static func all(of rows: [LogRow]) -> [Self] {
        rows.filter { $0.key.lane == .control }.map { row in
            Self(key: row.key, size: row.size, ruling: row.ruling, fork: row.forkProof?.forkPoint)
        }
    }
}
