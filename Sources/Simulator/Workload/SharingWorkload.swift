import Capabilities
import Identity
import Peering
import Records
import Sync
import Wire

/// The decisions of people in several accounts about their zones: invitations, rights and revocations.
package final class SharingWorkload {
    /// The link of an invitation, which all machines have.
    struct Link {
        var invite: InviteLink
        var zone: ZoneID
        var inviter: AccountID { invite.account }
    }

    unowned let simulation: Simulation
    var random: SeededGenerator
    /// The links of all invitations.
    var links: [Link] = []
    /// Whether zones are transferred to other accounts.
    package var transfersZones = true
    /// Whether rights are narrowed to types, names or times.
    package var narrowsRights = true

    /// Whether a relay counts the uses of invitations.
    package var countsByRelay = false

    /// Links of zones that were public at some time.
    var published: [ZoneTerms] = []
    /// Whether zones are made public, opened by their links, and left.
    package var opensZones = false
    /// Whether two accounts create zones together, leave them and return.
    package var makesPairs = false

    /// Creates the people of a world.
    /// - Parameters:
    ///   - simulation: The world.
    ///   - seed: The seed of their randomness.
    package init(_ simulation: Simulation, seed: UInt64) {
        self.simulation = simulation
        random = SeededGenerator(seed: seed)
    }

    /// Plans the decisions of a stretch of time.
    /// - Parameters:
    ///   - end: The end of the stretch, in simulated milliseconds; it begins now.
    ///   - perMinute: The mean number of decisions a minute.
    package func plan(until end: UInt64, perMinute: Double) {
        guard perMinute > 0, end > simulation.now else { return }
        let count = Int(Double(end - simulation.now) / 60_000 * perMinute)
        for _ in 0..<count {
            let time = random.number(simulation.now...end)
            simulation.schedule(at: time) { [self] in try act() }
        }
    }

    /// Makes one decision of a person.
    /// - Throws: ``Violation``.
    package func act() throws {
        guard let node = random.element(of: simulation.workplaces) else { return }
        if opensZones, random.chance(0.5) { return try actInPublic(on: node) }
        if makesPairs, random.chance(0.6) { return try actInPair(on: node) }
        switch random.index(below: 100) {
        case 0..<20: try invite(on: node)
        case 20..<45: try ask()
        case 45..<55: try accept(on: node)
        case 55..<67: try grant(on: node)
        case 67..<76: try revoke(on: node)
        case 76..<79: try leave(on: node)
        case 79..<81: try transfer(on: node)
        case 81..<85: try raiseCut(on: node)
        case 85..<91: try settleQuarantine(on: node)
        case 91..<95: try settleRequests(on: node)
        case 95..<97: try setPublicAccess(on: node)
        case 97..<98: try block(on: node)
        default: try withdraw(on: node)
        }
    }

    // MARK: Letting in

    func invite(on node: SimulatedNode, zone: ZoneID? = nil, terms: InviteTerms? = nil) throws {
        guard let zone = try zone ?? anyZone(on: node) else { return }
        let now = node.wallMilliseconds
        let terms =
            terms
            ?? InviteTerms(
                rights: anyRights(),
                caveats: anyCaveats(now: now),
                uses: UInt32(1 + random.index(below: 3)),
                expires: now + random.number(60_000...3_600_000),
                needsApproval: random.chance(0.2)
            )
        var made: Invite?
        let countsByRelay = countsByRelay
        node.decide("invite") { committer, random, transaction in
            let invited = try Invitations(committer).make(
                terms,
                zone: zone,
                isCountedByRelay: countsByRelay,
                random: &random,
                in: &transaction
            )
            made = invited.invite
            return invited.notice
        } completion: { [self] result in
            guard case .success = result, let made else { return }
            links.append(Link(invite: try InviteLink(secret: made.secret, account: node.accountID), zone: zone))
        }
    }

    /// Asks for a right by a link, on any device of another account.
    func ask() throws {
        guard let link = random.element(of: links) else { return }
        let asking = simulation.nodes.filter { $0.isRunning && $0.accountID != link.inviter }
        try ask(link, from: random.element(of: asking))
    }

    func ask(_ link: Link, from node: SimulatedNode?) throws {
        try node?.process?.open(link.invite)
    }

    func accept(on node: SimulatedNode) throws {
        let offers = node.process?.core.offers.all.keys.sorted() ?? []
        guard let zone = random.element(of: offers) else { return }
        node.accept(zone)
    }

    func grant(on node: SimulatedNode) throws {
        guard let zone = try anyZone(on: node), let account = anyContact(of: node) else { return }
        let terms = Capability.Terms(
            audience: account,
            rights: anyRights(),
            caveats: anyCaveats(now: node.wallMilliseconds)
        )
        node.decide("grant") { committer, random, transaction in
            try ZoneSharing(committer).grant(terms, zone: zone, random: &random, in: &transaction).notice
        }
    }

    /// Grants a right.
    func grant(_ rights: Rights, _ caveats: Caveats, in zone: ZoneID, to account: AccountID, on node: SimulatedNode) {
        let terms = Capability.Terms(audience: account, rights: rights, caveats: caveats)
        node.decide("grant") { committer, random, transaction in
            try ZoneSharing(committer).grant(terms, zone: zone, random: &random, in: &transaction).notice
        }
    }

    // MARK: Revoking

    func revoke(on node: SimulatedNode) throws {
        guard let zone = try anyZone(on: node) else { return }
        let draw = random.next()
        node.decide("revoke") { committer, _, transaction in
            let state = try ZoneViews(committer).controlState(zone, in: transaction)
            let live = state.participants.values.flatMap(\.capabilities).sorted()
            guard !live.isEmpty else { return CommitNotice() }
            let chosen = live[Int(draw % UInt64(live.count))]
            return try ZoneSharing(committer).revoke([chosen], zone: zone, reason: "drawn", in: &transaction)
        }
    }

    /// Revokes all rights that an account holds.
    func expel(_ account: AccountID, from zone: ZoneID, on node: SimulatedNode) {
        node.decide("expel") { committer, _, transaction in
            let state = try ZoneViews(committer).controlState(zone, in: transaction)
            let held = state.participants[account]?.capabilities.sorted() ?? []
            guard !held.isEmpty else { return CommitNotice() }
            return try ZoneSharing(committer).revoke(held, zone: zone, reason: "put out", in: &transaction)
        }
    }

    /// Revokes the rights of another account that are this one's to revoke.
    func expelOwn(_ account: AccountID, from zone: ZoneID, on node: SimulatedNode) {
        node.decide("expelOwn") { committer, random, transaction in
            guard let row = try transaction.zone(zone) else { return CommitNotice() }
            let revoked = try AccountRevocation(committer).revoke(
                account,
                in: row,
                reason: "a duel",
                keepsBelow: false,
                random: &random,
                in: &transaction
            )
            return revoked?.notice ?? CommitNotice()
        }
    }

    func leave(on node: SimulatedNode) throws {
        guard let zone = try anyZone(on: node) else { return }
        node.decide("leave") { committer, _, transaction in try ZoneSharing(committer).leave(zone, in: &transaction) }
    }

    func transfer(on node: SimulatedNode) throws {
        guard transfersZones, let zone = try anyZone(on: node), let account = anyContact(of: node) else { return }
        let keeps = random.chance(0.7)
        let level = anyRights().level
        node.decide("offer") { committer, _, transaction in
            try ZoneTransfers(committer).offer(zone, to: account, keeping: keeps ? level : nil, in: &transaction)
        } completion: { [self] result in
            if case .success(let notice) = result, notice.number != nil {
                planAnswer(to: zone, by: account, from: node)
            }
        }
    }

    /// Plans the answer of a device of the account to which a zone is offered; sometimes the owner withdraws the
    /// offer.
    private func planAnswer(to zone: ZoneID, by account: AccountID, from owner: SimulatedNode) {
        var draw = SeededGenerator(seed: simulation.now)
        let devices = simulation.nodes.filter { $0.accountID == account }
        guard let device = draw.element(of: devices) else { return }
        let (accepts, time) = (draw.chance(0.8), simulation.now + draw.number(2_000...120_000))
        simulation.schedule(at: time, for: device) { [self] in answer(zone, accepting: accepts, on: $0) }
        guard draw.chance(0.1) else { return }
        simulation.schedule(at: time, for: owner) { [self] in withdrawOffer(of: zone, on: $0) }
    }

    /// Answers the offer of a zone.
    func answer(_ zone: ZoneID, accepting accepts: Bool, on node: SimulatedNode) {
        node.decide("answer") { committer, _, transaction in
            try ZoneTransfers(committer).answer(zone, accepting: accepts, in: &transaction)
        }
    }

    /// Withdraws the offer of a zone.
    func withdrawOffer(of zone: ZoneID, on node: SimulatedNode) {
        node.decide("withdraw the offer") { committer, _, transaction in
            try ZoneTransfers(committer).withdraw(zone, in: &transaction)
        }
    }

    // MARK: Cuts and quarantine

    func raiseCut(on node: SimulatedNode) throws {
        guard let zone = try anyZone(on: node) else { return }
        let draw = random.next()
        node.decide("raiseCut") { committer, _, transaction in
            let state = try ZoneViews(committer).controlState(zone, in: transaction)
            let ended = state.capabilities.keys.sorted()
            guard !ended.isEmpty else { return CommitNotice() }
            let chosen = ended[Int(draw % UInt64(ended.count))]
            return try ZoneSharing(committer).raiseCut(of: chosen, zone: zone, in: &transaction)
        }
    }

    func settleQuarantine(on node: SimulatedNode) throws {
        guard let zone = try anyZone(on: node) else { return }
        let (draw, adopts) = (random.next(), random.chance(0.7))
        node.decide("settleQuarantine") { committer, _, transaction in
            let entries = try Quarantine(of: zone).entries(after: nil, limit: 50, in: transaction)
            guard !entries.isEmpty else { return CommitNotice() }
            let chosen = entries[Int(draw % UInt64(entries.count))]
            return try adopts
                ? QuarantineDecisions(committer).adopt(chosen.dot, zone: zone, in: &transaction).notice
                : QuarantineDecisions(committer).purge(chosen.dot, zone: zone, in: &transaction)
        }
    }

    func setPublicAccess(on node: SimulatedNode) throws {
        guard let zone = try anyZone(on: node) else { return }
        let access =
            random.chance(0.5) ? PublicAccess.none : PublicAccess(world: [], authenticated: [.read], creator: [])
        node.decide("setPublicAccess") { committer, _, transaction in
            try ZoneSharing(committer).setPublicAccess(access, zone: zone, in: &transaction)
        }
    }

    // MARK: The book

    func settleRequests(on node: SimulatedNode) throws {
        let (draw, approves) = (random.next(), random.chance(0.8))
        node.decide("settleRequests") { committer, random, transaction in
            let requests = try Redemptions(committer).requests(in: transaction)
            guard !requests.isEmpty else { return CommitNotice() }
            let chosen = requests[Int(draw % UInt64(requests.count))].id
            return try approves
                ? Redemptions(committer).approve(chosen, random: &random, in: &transaction).notice
                : Redemptions(committer).deny(chosen, in: &transaction)
        }
    }

    func block(on node: SimulatedNode) throws {
        guard let account = anyContact(of: node) else { return }
        node.decide("block") { committer, _, transaction in
            try Blocklist(committer).contains(account, in: transaction)
                ? Blocklist(committer).unblock(account, in: &transaction)
                : Blocklist(committer).block(account, in: &transaction)
        }
    }

    /// Ends all blocks that the account's device knows of.
    func unblock(on node: SimulatedNode) {
        node.decide("unblock") { committer, _, transaction in
            var notice = CommitNotice()
            for block in try Blocklist(committer).all(transaction) {
                notice.merge(try Blocklist(committer).unblock(block.account, in: &transaction))
            }
            return notice
        }
    }

    func withdraw(on node: SimulatedNode) throws {
        guard let link = random.element(of: links.filter { $0.inviter == node.accountID }) else { return }
        node.decide("withdraw") { committer, _, transaction in
            try Invitations(committer).withdraw(link.invite.secret.identifier, in: &transaction)
        }
    }

    // MARK: Chance

    func anyZone(on node: SimulatedNode) throws -> ZoneID? {
        let zones = try node.store?.zones().filter { $0.state == .live && !$0.isInternal } ?? []
        return random.element(of: zones.map(\.id))
    }

    func anyContact(of node: SimulatedNode) -> AccountID? {
        random.element(of: node.process?.account.contactLogs.keys.sorted() ?? [])
    }

    private func anyRights() -> Rights {
        let level: AccessLevel =
            switch random.index(below: 10) {
            case 0: .relay
            case 1: .read
            case 2: .append
            case 3..<7: .write
            default: .admin
            }
        return Rights(level, canDelegate: random.chance(0.6))
    }

    private func anyCaveats(now: UInt64) -> Caveats {
        let depth = UInt8(random.index(below: 4))
        guard narrowsRights, random.chance(0.3) else { return Caveats(delegationDepth: depth) }
        switch random.index(below: 3) {
        case 0: return Caveats(namePrefix: "r\(random.index(below: 3))", delegationDepth: depth)
        case 1: return Caveats(recordTypes: [random.chance(0.5) ? Workload.type : "other"], delegationDepth: depth)
        default: return Caveats(expires: now + random.number(30_000...1_200_000), delegationDepth: depth)
        }
    }
}
