import Identity
import Records
import Sync
import Wire

// Zones that two accounts own together.
extension SharingWorkload {
    func actInPair(on node: SimulatedNode) throws {
        switch random.index(below: 10) {
        case 0..<6: enterPair(on: node)
        case 6..<8: try accept(on: node)
        default: try leavePair(on: node)
        }
    }

    /// Creates a zone with another account, finds it, or returns to it.
    func enterPair(on node: SimulatedNode, with account: AccountID? = nil) {
        guard let account = account ?? anyContact(of: node) else { return }
        let name = "pair \(random.index(below: 2))"
        node.decide("enterPair") { committer, _, transaction in
            let terms = try PairZones(committer).terms(with: account, container: "org.example.chat", name: name)
            return try PairZones(committer).enter(terms, in: &transaction).notice
        }
    }

    private func leavePair(on node: SimulatedNode) throws {
        let pairs = try node.store?.zones().filter { $0.genesis.partner != nil && $0.role == .owner } ?? []
        guard let zone = random.element(of: pairs.map(\.id)) else { return }
        node.decide("leavePair") { committer, _, transaction in try ZoneSharing(committer).leave(zone, in: &transaction)
        }
    }
}
