import Identity
import Records
import Sync
import Wire

// The expensive checks: a whole store against itself, against the reference model and against the account log.
extension Judge {
    /// Checks a whole store.
    /// - Parameter look: The store.
    /// - Throws: `Violation`.
    package func check(_ look: StoreLook) throws {
        checkCount += 1
        try checkEnded(look)
        for zone in try look.store.zones() {
            try checkLives(in: zone, look)
            if !look.accounts.isEmpty { try checkRights(zone, look) }
            for row in try look.store.logs(zone: zone.id) {
                let items = try look.store.items(row.key, from: 0, to: row.size)
                try checkLog(row, items: items, look)
                try checkForgotten(zone: zone, row: row, items: items, look)
                if look.accounts.isEmpty { try checkCut(row, look) }
            }
            try checkRecords(zone, look)
        }
    }

    /// The number of incarnations in which a device may write under one right before that burdens all members.
    package static let livesCountMax = 256

    /// Checks that the logs of one device under one right take no more room in the tables of others than is reserved
    /// for them.
    private func checkLives(in zone: ZoneRow, _ look: StoreLook) throws {
        guard !byzantine.contains(look.device) else { return }
        var lives: [DeviceID: [Hash: Int]] = [:]
        for row in try look.store.logs(zone: zone.id) where row.key.lane == .data {
            lives[row.device, default: [:]][row.right, default: 0] += 1
            guard lives[row.device]?[row.right] ?? 0 > Self.livesCountMax else { continue }
            throw look.violation(
                .caps,
                "\(row.device.shortText) has more than \(Self.livesCountMax) logs under one right in \(zone.id.shortText)"
            )
        }
    }

    private func checkLog(_ row: LogRow, items: [StoredItem], _ look: StoreLook) throws {
        var frontier = TreeFrontier()
        for item in items {
            guard item.first == frontier.size else {
                throw look.violation(.storeIntegrity, "\(row.key) has a hole at leaf \(frontier.size)")
            }
            switch item.content {
            case .operation(let stored): frontier.append(stored.operation.header.leafHash)
            case .gap(let gap):
                guard frontier.append(subtree: gap.hash, level: gap.level) else {
                    throw look.violation(.storeIntegrity, "\(row.key) has a gap out of place at \(item.first)")
                }
            }
        }
        guard frontier == row.frontier, frontier.size == row.size, row.appliedSize <= row.size else {
            throw look.violation(
                .storeIntegrity,
                "the row of \(row.key) has \(row.size) leaves, \(row.appliedSize) applied; the tree has \(frontier.size)"
            )
        }
        guard row.size > 0 else { return }
        guard let head = try look.store.head(row.key, atOrBelow: row.size), head.size == row.size,
            head.signed.head.root == frontier.root
        else { throw look.violation(.storeIntegrity, "\(row.key) has no signed head at its end") }
    }

    /// Checks where the logs of removed devices end, in a world of one account.
    private func checkCut(_ row: LogRow, _ look: StoreLook) throws {
        guard row.device != look.device, !row.isForked, !library.forked.contains(row.key) else { return }
        let wanted = try accountLimit(of: row.key, device: row.device, under: row.right, look)
        guard row.cut?.size != wanted else { return }
        throw look.violation(
            .referenceModel,
            "\(row.key) is cut at \(row.cut.map { "\($0.size)" } ?? "nothing"),"
                + " the account log states \(wanted.map { "\($0)" } ?? "nothing")"
        )
    }

    /// The effective size of a log in a world of one account; `nil` for all of it.
    func accountLimit(of key: LogKey, device: DeviceID, under right: Hash, _ look: StoreLook) throws -> UInt64? {
        guard let account = look.account, account.standing(of: device) != .active(.full),
            let zone = try look.store.zone(key.zone)
        else { return nil }
        let model = try rights(in: zone, store: look.store, accounts: KnownAccounts(account), ownDevice: look.device)
        return model.limit(of: key.actorLane, device: device, under: right).flatMap { $0 == .max ? nil : $0 }
    }

    private func checkRecords(_ zone: ZoneRow, _ look: StoreLook) throws {
        let reaches = try look.store.reaches(zone: zone)
        let shown = try look.store.visibleRecords(zone: zone.id)
        for tag in Set(library.tags(zone: zone.id)).union(shown.keys).sorted() {
            // The superseding operation is still to come, if a disk that held it comes back.
            if try look.store.isAwaitingSuccessor(tag, zone: zone) { continue }
            try checkRecord(tag, zone: zone, reaches: reaches, store: look.store) { look.violation($0, $1) }
        }
        guard try look.store.recordCount(zone: zone.id) == UInt64(shown.count) else {
            throw look.violation(.storeIntegrity, "the number of records of \(zone.id.shortText) is wrong")
        }
    }
}
