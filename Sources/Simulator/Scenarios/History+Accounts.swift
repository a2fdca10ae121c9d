import Identity
import Records
import Sync
import Wire

// The members that must agree, and about which zones, where zones are shared among accounts.
extension History {
    /// Ends all blocks, so that all accounts that share something can talk.
    func makePeace() throws {
        // An account's devices first learn of each other's blocks.
        try wait(30_000)
        for node in members { sharing.unblock(on: node) }
        try wait(10_000)
        for node in members { sharing.unblock(on: node) }
    }

    /// The members that must hold all of a zone, for each zone of several accounts.
    ///
    /// They are the devices of accounts that may read it by the members' combined knowledge, as far as the account
    /// participates.
    func readers(among members: [SimulatedNode]) throws -> [ZoneID: [SimulatedNode]] {
        guard simulation.hasSeveralAccounts else { return [:] }
        var readers: [ZoneID: [SimulatedNode]] = [:]
        let accounts = knownAccounts(members)
        for (zone, row) in try zones(of: members).sorted(by: { $0.key < $1.key }) {
            guard let model = try commonRights(in: row, of: members, accounts) else { continue }
            let taking = Set(try members.filter { try $0.store?.zone(zone)?.isKept == true }.map(\.accountID))
            readers[zone] = try members.filter { node in
                if taking.contains(node.accountID),
                    model.mayRead(node.accountID, now: Simulation.wallStart + simulation.now)
                {
                    return true
                }
                // An account whose right has expired may have written under it until then. It is served, and nothing is taken
                // from it.
                if model.mayRead(node.accountID, now: nil) { return false }
                // A guest account reads on each of its devices until that device leaves the zone.
                return try model.publicAccess.world.contains(.read) && node.store?.zone(zone)?.isKept == true
            }
        }
        return readers
    }

    /// Whether all readers of a zone hold the same operations, and no member has work left.
    func areReadersEqual(_ members: [SimulatedNode]) throws -> Bool {
        for node in members {
            guard let commits = node.process?.commits, !commits.isDue, !commits.isCommitting else {
                return false
            }
        }
        for group in Dictionary(grouping: members, by: \.accountID).values {
            guard Set(group.map { $0.process?.log.announcedHeads ?? [] }).count == 1 else { return false }
        }
        var states = try members.reduce(into: [Int: [ZoneID: [LogKey: LogState]]]()) { states, node in
            states[node.index] = try self.states(of: node)
        }
        func areEqual(_ nodes: [SimulatedNode], _ zone: ZoneID) -> Bool {
            guard let first = nodes.first else { return true }
            guard let wanted = states[first.index]?[zone] else { return false }
            return nodes.dropFirst().allSatisfy { states[$0.index]?[zone] == wanted }
        }
        let unequal = try readers(among: members).filter { !areEqual($0.value, $0.key) }
        guard !unequal.isEmpty else { return true }
        try leaveOutUngranted(in: &states, of: unequal.keys.sorted(), members)
        let differing = unequal.filter { !areEqual($0.value, $0.key) }
        guard !differing.isEmpty else { return true }
        let circles = try circles(among: members)
        return differing.allSatisfy { zone, nodes in
            guard let groups = circles[zone] else { return false }
            return groups.allSatisfy { circle in areEqual(nodes.filter { circle.contains($0.index) }, zone) }
        }
    }

    /// Leaves out the control logs under rights that nothing grants by the statements of all members together.
    ///
    /// A member that has heard of a void grant ends the logs under it at zero; one that has not keeps their control logs
    /// whole, and nothing sends it the grant.
    private func leaveOutUngranted(
        in states: inout [Int: [ZoneID: [LogKey: LogState]]],
        of unequal: [ZoneID],
        _ members: [SimulatedNode]
    ) throws {
        let (accounts, rows) = (knownAccounts(members), try zones(of: members))
        for zone in unequal {
            guard let row = rows[zone], let rights = try commonRights(in: row, of: members, accounts) else { continue }
            for (index, held) in states {
                states[index]?[zone] = held[zone]?.filter {
                    $0.key.lane == .data || rights.account($0.value.right) != nil
                }
            }
        }
    }

    /// The groups of members that can deliver operations of a zone to each other, for each zone that more than one
    /// group holds.
    ///
    /// Two members can if they belong to one account, or if each holds the grants by which the other's account
    /// participates in this zone: in a session that another zone allows, a device ignores statements about this one by
    /// an account that is not named in it here. Each member admits the zone's maker. So there is more than one circle
    /// only where no member of the maker's account knows the grants to all the others, and no other member that both
    /// sides admit does (`docs/testing/open.md`).
    func circles(among members: [SimulatedNode]) throws -> [ZoneID: [Set<Int>]] {
        var rights: [ZoneID: [Int: RightsModel]] = [:]
        for node in members {
            guard let store = node.store, let process = node.process else { continue }
            for zone in try store.zones() {
                let accounts = process.accounts
                rights[zone.id, default: [:]][node.index] =
                    try judge.evidence.rights.model(in: zone, store: store, accounts: accounts, ownDevice: nil)
            }
        }
        return rights.compactMapValues { models in
            let groups = self.groups(of: members, admittingBy: models)
            // A member that does not hold the zone, and whose account does not either, is no circle of the zone.
            return groups.filter { group in group.contains { models[$0] != nil } }.count > 1 ? groups : nil
        }
    }

    /// The groups of members that admit each other's accounts, one after the other, by the rights in one zone as each
    /// member knows them.
    private func groups(of members: [SimulatedNode], admittingBy models: [Int: RightsModel]) -> [Set<Int>] {
        func admits(_ node: SimulatedNode, _ account: AccountID) -> Bool {
            guard let model = models[node.index] else { return false }
            return model.publicAccess.world.contains(.read) || model.parties.contains(account)
        }
        func reach(_ node: SimulatedNode, _ other: SimulatedNode) -> Bool {
            if node.accountID == other.accountID { return true }
            return admits(node, other.accountID) && admits(other, node.accountID)
        }
        var groups: [[SimulatedNode]] = []
        for node in members {
            let near = groups.filter { $0.contains { reach(node, $0) } }
            groups.removeAll { group in near.contains { $0[0].index == group[0].index } }
            groups.append([node] + near.joined())
        }
        return groups.map { Set($0.map(\.index)) }
    }

    /// The rights in the zones in which readers differ, for people.
    func differencesOfReaders(_ members: [SimulatedNode]) throws -> [String] {
        guard simulation.hasSeveralAccounts else { return [] }
        let (accounts, rows) = (knownAccounts(members), try zones(of: members))
        return try readers(among: members).sorted { $0.key < $1.key }.compactMap { zone, nodes in
            let states = try nodes.map { try self.states(of: $0)[zone] }
            guard Set(states.map { $0.map { "\($0.sorted { $0.key < $1.key })" } ?? "" }).count > 1,
                let row = rows[zone]
            else { return nil }
            let rights = try commonRights(in: row, of: members, accounts)?.text ?? ""
            return "zone \(zone.shortText) differs among nodes \(nodes.map(\.index)) at"
                + " \(Simulation.wallStart + simulation.now): \(rights)"
        }
    }

    /// The rights in a zone by the statements of all members together.
    private func commonRights(
        in zone: ZoneRow,
        of members: [SimulatedNode],
        _ accounts: KnownAccounts
    ) throws -> RightsModel? {
        var longest: [ActorID: (store: MemoryStore, row: LogRow)] = [:]
        for store in members.compactMap(\.store) where try store.zone(zone.id) != nil {
            for row in try store.logs(zone: zone.id) where row.key.lane == .control {
                if row.size > longest[row.key.actor]?.row.size ?? 0 { longest[row.key.actor] = (store, row) }
            }
        }
        return try judge.evidence.rights.model(
            in: zone,
            logs: longest.sorted { $0.key < $1.key }.map { ($0.value.store, $0.value.row) },
            accounts: accounts,
            ownDevice: nil
        )
    }

    /// The accounts as the members together know them: one that no member belongs to by the logs that they keep of it.
    private func knownAccounts(_ members: [SimulatedNode]) -> KnownAccounts {
        simulation.accounts.reduce(into: KnownAccounts()) { known, account in
            let own = members.compactMap(\.process).filter { $0.log.account == account.id }.map(\.log)
            let kept = members.compactMap { $0.process?.account.contactLogs[account.id] }
            if let log = AccountLog(merging: own.isEmpty ? kept : own) { known.add(log) }
        }
    }

    private func zones(of members: [SimulatedNode]) throws -> [ZoneID: ZoneRow] {
        var zones: [ZoneID: ZoneRow] = [:]
        for store in members.compactMap(\.store) {
            for row in try store.zones() { zones[row.id] = zones[row.id] ?? row }
        }
        return zones
    }
}

extension ZoneRow {
    /// Whether the zone is synchronised, and was not left.
    fileprivate var isKept: Bool { state != .sealed }
}
