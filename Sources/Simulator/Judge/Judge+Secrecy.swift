import Identity
import Records
import Wire

// What whoever has the network, or a relay, gets to see.
extension Judge {
    /// Frames of established channels that are looked through: one of so many.
    private static let frameShare: UInt64 = 4

    /// Nothing that goes over the wire shows a value, a key, or an identifier that stays the same.
    ///
    /// All of a connection's first bytes, its handshake, are looked at; of what follows, a share.
    package func sent(_ bytes: [UInt8], on connection: Connection, side: Int, in simulation: Simulation) throws {
        frameCount += 1
        let isHandshake = bytes.count < 2_048
        guard isHandshake || frameCount.isMultiple(of: Self.frameShare) else { return }
        guard let found = canaries.find(in: bytes) else { return }
        throw Violation(
            .secrecy,
            time: simulation.now,
            node: connection.nodes[side] < 0 ? nil : connection.nodes[side],
            "\(found) is on the wire, to be read by everybody"
        )
    }

    /// Nothing that a relay of mailboxes is given shows a value, a key, or an identifier that stays the same.
    package func left(_ bytes: [UInt8], by node: SimulatedNode?, in simulation: Simulation) throws {
        checkCount += 1
        guard let found = canaries.find(in: bytes) else { return }
        throw Violation(.secrecy, time: simulation.now, node: node?.index, "\(found) is shown to a relay")
    }

    /// Nothing that a relay keeps for its own account, in a history whose records are sealed, shows a value or a key.
    func checkBlind(_ operation: Operation, at place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        guard commit.isBlind, place.key.lane == .data, let found = canaries.find(in: operation.body) else { return }
        throw commit.violation(.secrecy, "\(found) can be read in \(place), which a relay keeps")
    }

    /// Takes in what is secret of the world: who the devices and accounts are, and what the accounts share.
    func learnSecrets(of simulation: Simulation) {
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

    /// Takes in what is secret of a zone.
    func learnSecrets(of zone: ZoneRow) {
        guard knownZones.insert(zone.id).inserted else { return }
        canaries.add(zone.id.bytes, as: "a zone's identifier")
        canaries.add(zone.tagKey, as: "the key of a zone's tags")
    }

    /// Takes in the keys that a node has opened.
    func learnSecrets(of keyring: EpochKeyring) {
        for epoch in keyring.epochs where knownEpochs.insert(epoch).inserted {
            if let key = keyring.key(epoch) { canaries.add(key.exportBytes(), as: "the key of an epoch") }
        }
    }
}
