import Identity
import Records
import Sync

extension Scenario {
    /// A device is removed by one that lacks its last writes.
    static let lateCut = Scenario(
        name: "late-cut",
        summary: "a device is removed by one that lacks its last writes, which others hold: no device may show them",
        shape: { options, random in options.shapeForRemoval(&random) },
        script: { history in
            try history.begin()
            try history.disturb(for: 60_000)
            try history.converge()
            let remover = history.nodes[0]
            let removed = history.nodes[history.nodes.count - 1]
            history.isolate(remover)
            try history.write(on: removed, times: 1 + history.random.index(below: 10))
            try history.wait(10_000)
            try history.removeSurely(removed, by: remover)
            if history.random.chance(0.5) { try history.workload.write(on: remover) }
            try history.wait(history.random.number(0...5_000))
            try history.settle()
            try history.disturb(for: 60_000)
            try history.conclude()
        }
    )

    /// A device that has begun a key is removed by one that does not know the key, while others write under it.
    static let lateKey = Scenario(
        name: "late-key",
        summary: "a device that has begun a key is removed by one that lacks the key, while others write under it",
        shape: { options, random in
            options.shapeForRemoval(&random)
            options.isSealedAlways = true
        },
        script: { history in
            try history.begin()
            try history.disturb(for: 30_000)
            try history.converge()
            let remover = history.nodes[0]
            let removed = history.nodes[history.nodes.count - 1]
            history.isolate(remover)
            for zone in try removed.store?.zones() ?? [] {
                removed.rotateKey(of: zone.id)
            }
            try history.wait(10_000)
            for node in history.nodes.dropFirst() {
                try history.write(on: node, times: 1)
            }
            try history.wait(history.random.number(0...10_000))
            try history.removeSurely(removed, by: remover)
            try history.settle()
            try history.disturb(for: 60_000)
            try history.conclude()
        }
    )

    /// A device lets a machine in, and is removed by one that has not seen the machine.
    static let voidAdmission = Scenario(
        name: "void-admission",
        summary: "a device lets a machine in, and is removed by one that has not seen it: no member in the end",
        shape: { options, random in
            options.shapeForRemoval(&random)
            options.hasAccountKeys = true
        },
        script: { history in
            try history.begin()
            try history.converge()
            let remover = history.nodes[0]
            let host = history.nodes[history.nodes.count - 1]
            let account = history.simulation.accounts[0]
            let newcomer = try history.simulation.insertNewcomer(&history.random)
            try newcomer.start()
            history.isolate(remover)
            let words = account.recoveryKey
            guard let secret = try JoiningWay.ticket.secret(by: host, words: words, history.judge) else {
                throw Violation(.joining, at: host, "a device without faults makes no ticket")
            }
            try newcomer.process?.search(with: secret)
            guard try history.simulation.run(within: 60_000, until: { newcomer.accountID == account.id }) != nil else {
                throw Violation(.joining, at: newcomer, "a machine does not join by a valid ticket")
            }
            for node in [newcomer, host] { try history.write(on: node, times: 1) }
            try history.wait(history.random.number(1_000...20_000))
            try history.removeSurely(host, by: remover)
            try history.settle()
            for node in history.members { try history.write(on: node, times: 1) }
            try history.conclude()
            guard !history.members.contains(where: { $0.index == newcomer.index }) else {
                throw Violation(.joining, at: newcomer, "a machine is a member that a removed device had let in")
            }
        }
    )
}

extension SimulationOptions {
    /// Shapes a quiet world of three or four devices of one account, where a script decides which device is removed.
    fileprivate mutating func shapeForRemoval(_ random: inout SeededGenerator) {
        duration = 600_000
        nodeCount = 3 + random.index(below: 2)
        recordCount = 1 + random.index(below: 3)
        zoneCount = 1
        hasPartialLogs = false
        staticPeers = .all
        faults = []
    }
}

extension History {
    /// Removes a device that its account can do without.
    fileprivate func removeSurely(_ node: SimulatedNode, by other: SimulatedNode) throws {
        do {
            try other.remove(node.device)
        } catch let error as AccountError {
            throw Violation(invariant: 0, "a device could not be removed: \(error)")
        }
    }
}
