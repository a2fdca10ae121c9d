import Identity
import Peering
import Sodium
package import Sync
package import Wire

/// The keys that people gave to joining machines, and the devices that these keys let in.
struct JoiningLedger {
    /// One such key.
    struct Offer {
        /// The number of devices that it lets in.
        let uses: Int
        /// The time at which it ends, by the wall clock of the device that made it.
        let end: UInt64
        /// Devices that it has let in.
        var admitted: Set<DeviceID> = []
    }

    /// The keys by their names, without the recovery words, which the account log names.
    private(set) var offers: [JoiningKey: Offer] = [:]

    /// Records that a ticket or a token was made.
    mutating func made(_ key: JoiningKey, uses: Int, end: UInt64) { offers[key] = Offer(uses: uses, end: end) }

    /// Records that a device was let in.
    /// - Returns: The fault; `nil` if there is none.
    mutating func admitted(_ device: DeviceID, by key: JoiningKey, at wall: UInt64) -> String? {
        guard let offer = offers[key] else { return "by a key that was never made" }
        guard wall < offer.end else { return "by an expired key" }
        offers[key]?.admitted.insert(device)
        guard offer.admitted.union([device]).count <= offer.uses else { return "by a key that is used up" }
        return nil
    }
}

extension Judge {
    /// See ``SimulationJudge``.
    package func admitted(_ link: JoiningLink, by node: SimulatedNode, in simulation: Simulation) throws {
        let device = link.certificate.device
        var fault: String?
        if case .recovery(let key) = link.key {
            if key != node.process?.log.state.recoveryKey.bytes { fault = "by replaced words" }
        } else {
            fault = joinings.admitted(device, by: link.key, at: node.wallMilliseconds)
        }
        guard let fault else { return }
        throw Violation(
            .joining,
            time: simulation.now,
            node: node.index,
            "the device \(device.shortText) is admitted \(fault)"
        )
    }

    /// Checks that no channel with a removed device uses the key that replaced the one it has.
    package func opened(
        with device: DeviceID,
        by key: Hash,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        guard let process = node.process, process.standing(of: device) == .removed,
            process.standing(of: node.device) == .active
        else { return }
        let fleet = process.log.state.fleet
        guard !fleet.isDue, fleet.generations.first?.entry == key, !key.isZero else { return }
        throw Violation(
            .fleetKeys,
            time: simulation.now,
            node: node.index,
            "a removed device, \(device.shortText), connects by the key that replaced its own"
        )
    }

    /// Checks that all members use one key, which no removed device has.
    func checkFleetKeys(of members: [SimulatedNode], in simulation: Simulation) throws {
        guard simulation.options.hasAccountKeys, simulation.options.isSealed else { return }
        for account in simulation.accounts {
            let own = members.filter { $0.accountID == account.id }
            guard let first = own.first?.process, !first.log.state.fleet.isDue else { continue }
            let present = first.log.state.fleet.generations.first?.entry ?? .zero
            for node in own where node.process?.fleet.order.present.entry != present {
                throw fleetViolation("uses another key than the first of the account log", node, simulation)
            }
            guard !present.isZero else { continue }
            for node in simulation.nodes where first.standing(of: node.device) == .removed {
                guard node.keyring.fleetKeys.contains(where: { $0.entry == present }) else { continue }
                throw fleetViolation("was removed and has the present key of the account's devices", node, simulation)
            }
        }
    }

    private func fleetViolation(_ text: String, _ node: SimulatedNode, _ simulation: Simulation) -> Violation {
        Violation(.fleetKeys, time: simulation.now, node: node.index, "the device \(node.device.shortText) \(text)")
    }
}
