import Records
import Sync
import Wire

// Public zones, and the accounts that only read them.
extension SharingWorkload {
    func actInPublic(on node: SimulatedNode) throws {
        switch random.index(below: 10) {
        case 0..<3: try publish(on: node, isOpen: random.chance(0.7))
        case 3..<8: open(on: node)
        default: try forget(on: node)
        }
    }

    /// Makes a zone public, or private again.
    func publish(on node: SimulatedNode, zone: ZoneID? = nil, isOpen: Bool) throws {
        guard let zone = try zone ?? anyZone(on: node), let row = try node.store?.zone(zone) else { return }
        let terms = ZoneTerms(genesis: row.genesis, tagKey: row.tagKey)
        if isOpen, !published.contains(terms) { published.append(terms) }
        let access = PublicAccess(world: isOpen ? .read : [], authenticated: [], creator: [])
        node.decide("publish") { committer, _, transaction in
            try ZoneSharing(committer).setPublicAccess(access, zone: zone, in: &transaction)
        }
    }

    /// Opens one of the links that were passed around.
    func open(on node: SimulatedNode) {
        guard let terms = random.element(of: published.filter { $0.genesis.owner != node.accountID }) else { return }
        node.decide("open") { committer, _, transaction in
            try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
        }
    }

    /// Stops reading a zone in which the account has no part.
    private func forget(on node: SimulatedNode) throws {
        guard let zone = try anyZone(on: node) else { return }
        node.decide("forget") { committer, _, transaction in
            try ZoneLifecycle(committer).forget(zone, in: &transaction)
        }
    }
}
