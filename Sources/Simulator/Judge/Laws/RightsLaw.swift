import Capabilities
import Identity
import Records
import Sync
import Wire

/// The law that a zone's roles and cuts in a store are those of the judge's own model of rights.
struct RightsLaw {
    let evidence: Evidence

    /// Checks that a store resolves a zone's logs as its control operations and the account logs require.
    func check(_ zone: ZoneRow, _ look: StoreLook) throws {
        // A zone that was left is not followed any more; its rights are resolved again when it is taken up again.
        guard let account = look.account, zone.state != .sealed else { return }
        let model = try evidence.rights.model(
            in: zone,
            store: look.store,
            accounts: look.accounts,
            ownDevice: look.device
        )
        if model.isPair, zone.isDeleted {
            throw look.violation(.rights, "a zone of two accounts, \(zone.id.shortText), was deleted")
        }
        for row in try look.store.logs(zone: zone.id) { try checkRuling(of: row, model, look) }
        let held = try zone.productionSchema()
        guard held?.schema == model.production?.schema,
            Set(held?.promotions ?? []) == model.production?.promotions ?? [],
            held?.last == model.production?.last
        else { throw look.violation(.rights, "the schema in force in \(zone.id.shortText) is not the promoted one") }
        let level = model.level(of: account.account)
        let own: AccessLevel? =
            switch zone.role {
            case .owner: .admin
            case .participant(let scope): scope.level
            case .unknown, .ended: nil
            }
        guard level == own, (zone.role == .owner) == model.present.contains(account.account) else {
            throw look.violation(
                .rights,
                "the node's role in \(zone.id.shortText) is \(zone.role), its account has"
                    + " \(level.map { "\($0)" } ?? "nothing")"
            )
        }
    }

    private func checkRuling(of row: LogRow, _ model: RightsModel, _ look: StoreLook) throws {
        let scope = model.account(row.right).flatMap { _ in model.tokens[row.right] }.map { WriteScope($0) }
        let role: LogRole =
            model.owners.contains { $0.right == row.right } ? .owner : scope.map { .participant($0) } ?? .unknown
        var spoken = row.role
        if case .ended(let before, _) = spoken { spoken = before }
        guard spoken == role else {
            throw look.violation(.rights, "\(row.key) has the role \(row.role), should be \(role)")
        }
        let lane = row.key.actorLane
        let limit = model.limit(of: lane, device: row.device, under: row.right)
        // A size does not decide which history of a forked log is effective.
        if row.isForked || evidence.library.forked.contains(row.key) { return }
        guard row.key.lane == .data else {
            let held = model.heldLimit(of: lane, device: row.device, under: row.right)
            if role != .unknown, held ?? .max != row.cut?.size ?? .max {
                throw look.violation(.rights, "\(row.key) is held up to \(row.cut?.size ?? .max), not \(held ?? .max)")
            }
            return
        }
        // The operations that lead to a stated end are effective once all of them are here.
        let end = model.statedEnd(of: lane, device: row.device, under: row.right)
        if let end, row.cut?.size == end, row.size >= end { return }
        guard limit ?? 0 == row.cut?.size ?? .max else {
            throw look.violation(
                .rights,
                "\(row.key) of \(row.device.shortText) is effective up to \(row.cut.map { "\($0.size)" } ?? "its end"),"
                    + " should be \(limit.map { "\($0)" } ?? "unknown")"
            )
        }
    }

    /// Checks where the log of a removed device ends, in a world of one account.
    func checkCut(_ row: LogRow, _ look: StoreLook) throws {
        guard row.device != look.device, !row.isForked, !evidence.library.forked.contains(row.key) else { return }
        let wanted = try evidence.rights.limit(of: row.key, device: row.device, under: row.right, look)
        guard row.cut?.size != wanted else { return }
        throw look.violation(
            .referenceModel,
            "\(row.key) is cut at \(row.cut.map { "\($0.size)" } ?? "nothing"),"
                + " the account log states \(wanted.map { "\($0)" } ?? "nothing")"
        )
    }
}
