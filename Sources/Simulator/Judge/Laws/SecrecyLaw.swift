import Identity
import Records
import Wire

/// The law that an attacker on the network, or a relay, sees no value, no key and no identifier
/// that stays the same.
struct SecrecyLaw {
    /// The share of frames of established channels that is searched: one of so many.
    private static let frameShare: UInt64 = 4

    /// The secrets that no outsider may see.
    private var canaries = CanaryFinder()
    /// The number of nodes, and the zones and epochs, whose secrets are in `canaries`.
    private var knownNodeCount = 0
    private var knownZones: Set<ZoneID> = []
    private var knownEpochs: Set<Hash> = []
    /// The number of pieces sent so far.
    private var frameCount: UInt64 = 0

    // MARK: Secrets

    /// Adds the secrets of the world: the identifiers of devices and accounts, and the secrets that accounts share.
    mutating func learn(_ simulation: Simulation) {
        guard knownNodeCount < simulation.nodes.count else { return }
        for node in simulation.nodes[knownNodeCount...] { canaries.add(node.device.bytes, as: "a device's identifier") }
        knownNodeCount = simulation.nodes.count
        for account in simulation.accounts {
            canaries.add(account.id.bytes, as: "an account's identifier")
            let secrets = account.keyring.exportParts()
            for secret in [secrets.fleetKey, secrets.accountSalt, secrets.zoneKey] {
                canaries.add(secret, as: "a secret of an account")
            }
        }
    }

    /// Adds the secrets of a zone.
    mutating func learn(_ zone: ZoneRow) {
        guard knownZones.insert(zone.id).inserted else { return }
        canaries.add(zone.id.bytes, as: "a zone's identifier")
        canaries.add(zone.tagKey, as: "the key of a zone's tags")
    }

    /// Adds the keys that a node has opened.
    mutating func learn(_ keyring: EpochKeyring) {
        for epoch in keyring.epochs where knownEpochs.insert(epoch).inserted {
            if let key = keyring.key(epoch) { canaries.add(key.exportBytes(), as: "the key of an epoch") }
        }
    }

    /// Adds a value of a record.
    mutating func learn(value: String) { canaries.add(Array(value.utf8), as: "a value") }

    // MARK: Outsiders

    /// Checks bytes on the wire.
    ///
    /// All of a connection's first bytes, its handshake, are searched; of the later ones, a share.
    mutating func sent(_ bytes: [UInt8], by node: Int, in simulation: Simulation) throws {
        frameCount += 1
        let isHandshake = bytes.count < 2_048
        guard isHandshake || frameCount.isMultiple(of: Self.frameShare) else { return }
        guard let found = canaries.find(in: bytes) else { return }
        throw Violation(
            .secrecy,
            time: simulation.now,
            node: node < 0 ? nil : node,
            "\(found) is readable on the wire"
        )
    }

    /// Checks bytes that are left with a relay of mailboxes.
    func left(_ bytes: [UInt8], by node: SimulatedNode?, in simulation: Simulation) throws {
        guard let found = canaries.find(in: bytes) else { return }
        throw Violation(.secrecy, time: simulation.now, node: node?.index, "\(found) is visible to a relay")
    }

    /// Checks that nothing that a relay keeps for its own account, in a history with sealed records, shows a value or
    /// a key.
    func checkBlind(_ operation: Operation, at place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        guard commit.isBlind, place.key.lane == .data, let found = canaries.find(in: operation.body) else { return }
        throw commit.violation(.secrecy, "\(found) is readable in \(place), which a relay keeps")
    }
}
