import Identity
import Sync
import Wire

extension Scenario {
    /// People name their devices and their account on several machines, while the network is divided and devices come and go.
    static let names = Scenario(
        name: "names",
        summary:
            "an account and its devices are named on several machines under partitions, also by devices that are removed",
        shape: { options, random in
            options.nodeCount = 3 + random.index(below: 3)
            options.hasPartialLogs = random.chance(0.5)
            options.faults = [.addition, .removal, .partition, .crash, .restart, .cut]
        },
        script: { history in
            try history.begin()
            for _ in 0..<(6 + history.random.index(below: 18)) {
                let time = history.simulation.now + history.random.number(1...history.options.faultDuration)
                history.simulation.schedule(at: time) { try history.giveName() }
            }
            try history.disturb()
            try history.conclude()
            try history.checkNames()
        }
    )
}

extension History {
    /// Renames the account or one of its devices, on a machine that is on.
    fileprivate func giveName() throws {
        guard let node = random.element(of: nodes.filter(\.isRunning)), let process = node.process else { return }
        let subject = random.chance(0.5) ? nil : random.element(of: process.log.state.activeDevices.sorted())
        do {
            try node.name(subject, "name \(random.index(below: 1_000))")
        } catch is StorageError {
            // The account log could not be written: the old name stays.
        } catch is AccountError {
            // The device was removed, or has not learnt yet that it was added.
        }
    }

    /// Requires that all devices of an account have the same names for it and each other, by all its entries
    /// together.
    fileprivate func checkNames() throws {
        for account in simulation.accounts {
            let own = members.filter { $0.accountID == account.id }
            guard let common = commonLog(of: own)?.state else { continue }
            for node in own {
                guard let state = node.process?.log.state else { continue }
                guard state.name == common.name, state.deviceNames == common.deviceNames else {
                    throw Violation(
                        .names,
                        at: node,
                        "calls the account \(state.name ?? "nothing") and its devices \(state.deviceNames.values.sorted()), where"
                            + " all entries determine \(common.name ?? "nothing") and \(common.deviceNames.values.sorted())"
                    )
                }
            }
        }
    }
}

extension AccountState {
    fileprivate var deviceNames: [DeviceID: String] { devices.mapValues(\.name) }
}
