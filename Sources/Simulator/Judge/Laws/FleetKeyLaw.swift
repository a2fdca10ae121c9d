import Identity
import Peering
import Sync
import Wire

/// The law that the account's devices use a key that no removed device has.
enum FleetKeyLaw {
    /// Checks that no channel with a removed device uses the key that replaced the one it has.
    static func opened(with device: DeviceID, by key: Hash, on node: SimulatedNode) throws {
        guard let process = node.process, process.standing(of: device) == .removed,
            process.standing(of: node.device) == .active
        else { return }
        let fleet = process.log.state.fleet
        guard !fleet.isDue, fleet.generations.first?.entry == key, !key.isZero else { return }
        throw Violation(
            .fleetKeys,
            at: node,
            "a removed device, \(device.shortText), connects by the key that replaced its own"
        )
    }

    /// Checks that all members use one key, which no removed device has.
    static func check(_ members: [SimulatedNode], in simulation: Simulation) throws {
        guard simulation.options.hasAccountKeys, simulation.options.isSealed else { return }
        func violation(_ text: String, _ node: SimulatedNode) -> Violation {
            let device = node.device.shortText
            return Violation(.fleetKeys, at: node, "the device \(device) \(text)")
        }
        for account in simulation.accounts {
            let own = members.filter { $0.accountID == account.id }
            guard let first = own.first?.process, !first.log.state.fleet.isDue else { continue }
            let present = first.log.state.fleet.generations.first?.entry ?? .zero
            for node in own where node.process?.fleet.order.present.entry != present {
                throw violation("uses another key than the first of the account log", node)
            }
            guard !present.isZero else { continue }
            for node in simulation.nodes where first.standing(of: node.device) == .removed {
                guard node.keyring.fleetKeys.contains(where: { $0.entry == present }) else { continue }
                throw violation("was removed and has the present key of the account's devices", node)
            }
        }
    }
}
