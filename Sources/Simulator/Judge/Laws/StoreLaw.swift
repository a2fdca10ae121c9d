import Records
import Sync
import Wire

/// The laws that a store agrees with itself, and that the logs of a device take no more room than
/// is reserved for them.
struct StoreLaw {
    /// The number of incarnations in which a device may write under one right before that burdens all members.
    static let livesCountMax = 256

    let evidence: Evidence

    /// Checks that the logs of one device under one right take no more room in the tables of others than is reserved
    /// for them.
    func checkLives(in zone: ZoneRow, _ look: StoreLook) throws {
        guard !evidence.byzantine.contains(look.device) else { return }
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

    /// Checks that a log has no hole, and that its row and its head are those of its leaves.
    func checkLog(_ row: LogRow, _ items: [StoredItem], _ look: StoreLook) throws {
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

    /// Checks all records of a zone against the reference model, and their number.
    func checkRecords(of zone: ZoneRow, _ look: StoreLook) throws {
        let shown = try look.store.visibleRecords(zone: zone.id)
        let records = try ZoneRecords(of: zone, look.store.reaches(zone: zone), in: look.store, evidence)
        for tag in Set(evidence.library.tags(zone: zone.id)).union(shown.keys).sorted() {
            if let fault = try records.fault(of: tag) { throw look.violation(.referenceModel, fault) }
        }
        guard try look.store.recordCount(zone: zone.id) == UInt64(shown.count) else {
            throw look.violation(.storeIntegrity, "the number of records of \(zone.id.shortText) is wrong")
        }
    }
}
