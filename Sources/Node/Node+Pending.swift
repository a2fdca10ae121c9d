import KairanInterface
import Identity
import Records
import Sync
import Wire

extension Node {
    /// See `NodeAPI`.
    package func pending(zone reference: String?) async throws(NodeError) -> PendingReport {
        let links = await sync.pendingFacts()
        return try await reading { [self] transaction in
            let zones = try reference.map { [try row(of: $0, in: transaction)] } ?? rows(transaction)
            var report = PendingReport(entries: [], heldBack: [])
            var seen: [DeviceID: UInt64] = [:]
            for peer in try transaction.peers() { seen[peer.device] = peer.lastSeenMilliseconds }
            for zone in zones where !zone.isDeleted {
                report.entries += try entries(of: zone, links, seen: seen, in: transaction)
                report.heldBack += try Self.heldBack(in: zone, transaction)
            }
            return report
        }
    }

    private func entries(
        of zone: ZoneRow,
        _ links: PendingFacts,
        seen: [DeviceID: UInt64],
        in transaction: any NodeTransaction
    ) throws -> [PendingReport.Entry] {
        var acknowledged: [DeviceID: [LogKey: UInt64]] = [:]
        for row in try transaction.acknowledgements(zone: zone.id) {
            acknowledged[row.device, default: [:]][row.key] = row.size
        }
        let positions = try ZonePositions(of: zone.id).all(in: transaction)
        let now = clock.wall()
        return try ZoneViews(replica.committer).standing(of: zone.id, in: transaction).others.compactMap { member in
            let held = acknowledged[member.device] ?? [:]
            var (count, behind): (UInt64, UInt64) = (0, 0)
            var oldest: UInt64?
            for position in positions where position.row.device != member.device {
                let known = held[position.row.key] ?? 0
                guard position.size > known else { continue }
                behind &+= position.size - known
                guard position.row.device == identity.device else { continue }
                count &+= position.size - known
                let time = try Self.time(of: position.row.key, at: known, in: transaction)
                oldest = [oldest, time].compactMap { $0 }.min()
            }
            let missing = links.missing[zone.id]?[member.device] ?? 0
            guard count > 0 || behind > 0 || missing > 0 else { return nil }
            let peer = links.peers[member.device]
            let (reason, since) = reason(zone, member, links, lastSeen: seen[member.device])
            return PendingReport.Entry(
                zone: zone.id,
                name: zone.genesis.name,
                container: zone.genesis.container,
                device: member.device,
                account: member.account,
                deviceName: peer?.name ?? replica.committer.accounts[member.account]?.devices[member.device]?.name
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
        _ member: ZoneStanding.Member,
        _ links: PendingFacts,
        lastSeen: UInt64?
    ) -> (PendingWork.Entry.Reason, since: UInt64?) {
        if identity.isRemoved { return (.deviceRemoved, nil) }
        if zone.role == .unknown { return (.noRight, nil) }
        switch links.peers[member.device]?.state ?? .away {
        case .away: return (.peerAway, lastSeen.flatMap { $0 == 0 ? nil : $0 })
        case .reachable, .unreachable: return (.peerUnconnected, lastSeen.flatMap { $0 == 0 ? nil : $0 })
        case .connected: break
        }
        let failures = [SyncActivity.Kind.export, .import].lazy.compactMap { kind in
            links.failures[SyncFailure.Key(kind, zone: zone.id, peer: member.device)]
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

    private static func heldBack(
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
