import Identity
import KairanInterface
import Records
import Sync
import Wire

/// Explains why zones are not synchronised, from the store and from the facts about peers.
struct PendingReading {
    private let facts: PendingFacts
    private let committer: Committer
    private let isRemoved: Bool
    /// The times at which devices were last connected.
    private let seen: [DeviceID: UInt64]

    /// Reads the facts that are the same for all zones.
    /// - Parameters:
    ///   - facts: The facts of the synchronisation service.
    ///   - committer: The committer.
    ///   - isRemoved: Whether this device does not belong to its account any more.
    ///   - transaction: The store.
    /// - Throws: The errors of the store.
    init(
        _ facts: PendingFacts,
        _ committer: Committer,
        isRemoved: Bool,
        in transaction: any NodeTransaction
    ) throws {
        (self.facts, self.committer, self.isRemoved) = (facts, committer, isRemoved)
        seen = try transaction.peers().reduce(into: [:]) { seen, peer in
            if peer.lastSeenMilliseconds > 0 { seen[peer.device] = peer.lastSeenMilliseconds }
        }
    }

    /// Returns the operations of a zone that other devices lack, or hold and have not sent.
    func entries(
        of zone: ZoneRow,
        in transaction: any NodeTransaction
    ) throws -> [PendingReport.Entry] {
        let acknowledged = try transaction.acknowledgedSizes(zone: zone.id)
        let positions = try ZonePositions(of: zone.id).all(in: transaction).filter { $0.row.isCompared }
        let now = committer.wallMilliseconds
        return try ZoneViews(committer).overview(of: zone.id, in: transaction).others.compactMap { member in
            let held = acknowledged[member.device] ?? [:]
            var (count, behind): (UInt64, UInt64) = (0, 0)
            var oldest: UInt64?
            for position in positions where position.row.device != member.device {
                let known = held[position.row.key] ?? 0
                guard position.size > known else { continue }
                behind &+= position.size - known
                guard position.row.device == committer.device else { continue }
                count &+= position.size - known
                let time = try Self.time(of: position.row.key, at: known, in: transaction)
                oldest = [oldest, time].compactMap { $0 }.min()
            }
            let missing = facts.missing[zone.id]?[member.device] ?? 0
            guard count > 0 || behind > 0 || missing > 0 else { return nil }
            let peer = facts.peers[member.device]
            let (reason, since) = reason(zone, member)
            return PendingReport.Entry(
                zone: zone.id,
                name: zone.genesis.name,
                container: zone.genesis.container,
                device: member.device,
                account: member.account,
                deviceName: peer?.name ?? committer.accounts[member.account]?.devices[member.device]?.name
                    ?? "",
                state: peer?.state ?? .away,
                count: count,
                behind: behind,
                missing: missing,
                oldestMilliseconds: oldest,
                ageMilliseconds: oldest.map { now > $0 ? now - $0 : 0 },
                reason: reason,
                sinceMilliseconds: since
            )
        }
    }

    private func reason(
        _ zone: ZoneRow,
        _ member: ZoneOverview.Member
    ) -> (PendingWork.Entry.Reason, since: UInt64?) {
        if isRemoved { return (.deviceRemoved, nil) }
        if zone.role == .unknown { return (.noRight, nil) }
        switch facts.peers[member.device]?.state ?? .away {
        case .away: return (.peerAway, seen[member.device])
        case .reachable, .unreachable: return (.peerUnconnected, seen[member.device])
        case .connected: break
        }
        let failures = [SyncActivity.Kind.export, .import].lazy.compactMap { kind in
            facts.failures[SyncFailure.Key(kind, zone: zone.id, peer: member.device)]
        }
        guard let failure = failures.first else { return (.syncing, nil) }
        let reason: PendingWork.Entry.Reason =
            switch failure.failure {
            case .connectionLost, .stalled: .interrupted
            case .storageFull: .storageFull
            case .storageFailed: .storageFailed
            case .peerStorageFull: .peerStorageFull
            case .peerBusy: .peerBusy
            case .violation, .contradiction, .fork: .refused
            }
        return (reason, failure.milliseconds)
    }

    /// Returns the time at which the operation at a place of a log was written; `nil` where it is not known any more.
    private static func time(of key: LogKey, at index: UInt64, in transaction: any NodeTransaction) throws -> UInt64? {
        guard key.lane == .data else { return nil }
        guard case .operation(let stored)? = try transaction.items(key, from: index, to: index + 1).first?.content
        else {
            return nil
        }
        return stored.operation.header.time.milliseconds
    }

    /// Returns the logs of a zone that have arrived and wait for others.
    func heldBack(
        in zone: ZoneRow,
        _ transaction: any NodeTransaction
    ) throws -> [PendingReport.HeldBack] {
        let logs = try transaction.logs(zone: zone.id)
        var held: [ActorID: LogRow] = [:]
        for row in logs where row.key.lane == .data { held[row.key.actor] = row }
        return try logs.filter { $0.key.lane == .data && $0.appliedSize < $0.size && $0.cut == nil && !$0.isForked }
            .map { row in
                let head = try transaction.heads(row.key, above: row.appliedSize, limit: 1).first
                let needed = head?.signed.head.seen.entries ?? []
                let missing = needed.filter { $0.counter > held[$0.actor]?.heldSize ?? 0 }.map { dot in
                    PendingReport.HeldBack.Missing(
                        actor: dot.actor,
                        device: held[dot.actor]?.device,
                        held: held[dot.actor]?.heldSize ?? 0,
                        needed: dot.counter
                    )
                }
                return PendingReport.HeldBack(
                    zone: zone.id,
                    device: row.device,
                    count: row.size - row.appliedSize,
                    waitsFor: missing
                )
            }
    }
}
