import Identity
import Sync
import Wire

// Histories of rights that end while an account or a device is apart.
extension Scenario {
    /// An account's rights are revoked while it is apart and continues to write.
    static let revokedUnderPartition = Scenario(
        name: "revoked-under-partition",
        summary: "an account is revoked while partitioned and continues to write; its deposits are adopted or purged",
        shape: { options, random in options.shapeForRights(&random) },
        script: { history in
            let zone = try history.openSharedZone(.admin)
            let outcast = history.simulation.accounts[1].id
            history.divide { $0.accountID == outcast }
            try history.writeEverywhere(zone, times: 1 + history.random.index(below: 6))
            if history.random.chance(0.5) { try history.grantWithin(zone, by: outcast) }
            if history.random.chance(0.3), let device = history.devices(of: outcast).last,
                history.devices(of: outcast).count > 1
            {
                // A device of the account is removed as well, by one that lacks some of its writes.
                try history.workload.write(on: device)
                try history.removeQuietly(device, by: history.devices(of: outcast)[0])
                try history.workload.write(on: device)
            }
            history.sharing.expel(outcast, from: zone, on: history.nodes[0])
            try history.wait(history.random.number(100...5_000))
            try history.writeEverywhere(zone, times: history.random.index(below: 4))
            try history.rejoin()
            try history.wait(20_000)
            for _ in 0..<6 {
                try history.sharing.settleQuarantine(on: history.nodes[0])
                try history.wait(1_000)
            }
            if history.random.chance(0.5) { try history.sharing.raiseCut(on: history.nodes[0]) }
            try history.wait(10_000)
            try history.conclude()
        }
    )

    /// A removed device continues to write with a wrong clock, and returns.
    static let backdatingWriter = Scenario(
        name: "backdating-writer",
        summary: "a removed device and a revoked account continue to write with falsified clocks and come back",
        shape: { options, random in
            options.shapeForRights(&random)
            options.nodeCount = max(options.nodeCount, options.accountCount + 1)
        },
        script: { history in
            let zone = try history.openSharedZone(.write)
            let outcast = history.simulation.accounts[1].id
            let image = history.devices(of: history.simulation.accounts[0].id).last?.disk.image()
            try history.writeEverywhere(zone, times: 2)
            if history.random.chance(0.7) {
                // A day later a checkpoint makes the written operations final.
                try history.sleep(90_000_000)
                try history.wait(180_000)
            }
            let writers = history.devices(of: outcast)
            if try history.expelFromOldDisk(outcast, zone, image) { try history.wait(5_000) }
            history.divide { $0.accountID == outcast }
            for writer in writers {
                writer.setWallOffset(Int64(history.random.number(0...20_000_000)) - 15_000_000)
            }
            try history.writeEverywhere(zone, times: 2)
            if writers.count > 1, history.random.chance(0.5) {
                try history.removeQuietly(writers[writers.count - 1], by: writers[0])
            }
            if history.random.chance(0.7) { history.sharing.expel(outcast, from: zone, on: history.nodes[0]) }
            try history.writeEverywhere(zone, times: 3)
            try history.wait(history.random.number(1_000...30_000))
            try history.rejoin()
            try history.wait(30_000)
            if history.random.chance(0.5) {
                try history.sleep(90_000_000)
                try history.wait(120_000)
            }
            try history.conclude()
        }
    )

    /// Two administrators revoke the rights that they granted each other, while they are apart.
    static let duellingAdmins = Scenario(
        name: "duelling-admins",
        summary: "two partitioned administrators revoke each other, and the owner takes a side",
        shape: { options, random in
            options.shapeForRights(&random)
            options.accountCount = 3 + random.index(below: 2)
            options.nodeCount = options.accountCount + random.index(below: 3)
        },
        script: { history in
            let zone = try history.openSharedZone(.admin)
            let duellists = [history.simulation.accounts[1].id, history.simulation.accounts[2].id]
            for (giver, taker) in [(0, 1), (1, 0)] {
                try history.grantWithin(zone, by: duellists[giver], to: duellists[taker])
            }
            try history.wait(5_000)
            history.divide { $0.accountID == duellists[0] }
            try history.writeEverywhere(zone, times: 1)
            for (actor, victim) in [(0, 1), (1, 0)] {
                for device in history.devices(of: duellists[actor]).prefix(1) {
                    history.sharing.expelOwn(duellists[victim], from: zone, on: device)
                }
            }
            try history.wait(3_000)
            try history.grantWithin(zone, by: duellists[0])
            try history.writeEverywhere(zone, times: 1)
            if history.random.chance(0.6) {
                let loser = history.random.element(of: duellists) ?? duellists[0]
                history.sharing.expel(loser, from: zone, on: history.nodes[0])
                try history.wait(1_000)
            }
            try history.rejoin()
            try history.wait(20_000)
            if history.random.chance(0.5) { try history.disturb(for: 60_000) }
            try history.conclude()
        }
    )

    /// An account that delegated a right is revoked, and the right with it.
    static let delegatorRemoved = Scenario(
        name: "delegator-removed",
        summary: "an account that admitted others is revoked, or its device removed, and some are admitted anew",
        shape: { options, random in
            options.shapeForRights(&random)
            options.accountCount = 3 + random.index(below: 2)
            options.nodeCount = options.accountCount + 1 + random.index(below: 3)
        },
        script: { history in
            let zone = try history.openSharedZone(.admin)
            let accounts = history.simulation.accounts.map(\.id)
            for other in accounts.dropFirst(2) {
                history.sharing.expel(other, from: zone, on: history.nodes[0])
                try history.wait(2_000)
                try history.grantWithin(zone, by: accounts[1], to: other)
            }
            try history.wait(5_000)
            try history.writeEverywhere(zone, times: 2)
            if history.random.chance(0.5) { history.divide { $0.accountID == accounts[2] } }
            let delegators = history.devices(of: accounts[1])
            if delegators.count > 1, history.random.chance(0.5) {
                try history.removeQuietly(delegators[0], by: delegators[1])
            } else {
                history.sharing.expel(accounts[1], from: zone, on: history.nodes[0])
            }
            try history.writeEverywhere(zone, times: 2)
            if history.random.chance(0.5) {
                try history.grantWithin(zone, by: accounts[0], to: accounts[2])
            }
            try history.writeEverywhere(zone, times: 1)
            try history.rejoin()
            try history.wait(20_000)
            try history.conclude()
        }
    )

    /// A removed device returns with its old disk.
    static let thief = Scenario(
        name: "thief",
        summary: "a removed device tries to read and to write with its old keys and store, at every peer in reach",
        shape: { options, random in
            options.shapeForRights(&random)
            options.nodeCount = 2 * options.accountCount + random.index(below: 2)
        },
        script: { history in
            // Sometimes only time ends the rights.
            let time: UInt64? = history.random.chance(0.4) ? history.random.number(30_000...90_000) : nil
            let zone = try history.openSharedZone(.write, lasting: time)
            let victim = history.simulation.accounts[history.random.index(below: 2)].id
            let devices = history.devices(of: victim)
            let stolen = devices[devices.count - 1]
            try history.writeEverywhere(zone, times: 1)
            let image = stolen.disk.image()
            try stolen.stop()
            try history.removeQuietly(stolen, by: devices[0])
            try history.writeEverywhere(zone, times: 2)
            try history.wait(history.random.number(0...30_000))
            if history.random.chance(0.5) { try stolen.restore(image, parts: .database) }
            // It may reach only members of other accounts, which may or may not know of the removal.
            let isAlone = history.random.chance(0.5)
            if isAlone { history.divide { $0.accountID == victim && $0.index != stolen.index } }
            try stolen.start()
            for _ in 0..<6 {
                try history.workload.write(on: stolen)
                try history.writeEverywhere(zone, times: 1)
                try history.wait(history.random.number(100...10_000))
            }
            try history.rejoin()
            try history.wait(30_000)
            try history.conclude()
        }
    )

    /// A participating account that lies.
    static let byzantineMember = Scenario(
        name: "byzantine-member",
        summary:
            "a participant writes beyond its right and under invented rights, seals garbage, grants rights that it may"
            + " not grant, and sends and requests forbidden data",
        shape: { options, random in
            options.shapeForRights(&random)
            options.faults = [.cut, .restart, .byzantine]
            options.faultDuration = 120_000 + random.number(0...120_000)
            options.faultsPerMinute = 10
        },
        script: { history in
            let zone = try history.openSharedZone(history.random.chance(0.5) ? .write : .append, prefix: "r")
            let liar = history.simulation.accounts[1]
            for device in history.devices(of: liar.id) { history.judge.evidence.byzantine.insert(device.device) }
            history.faults.byzantineNode = history.devices(of: liar.id).first?.index
            history.faults.misdeeds = Misdeed.ofMembers + (history.options.isSealed ? Misdeed.ofSeals : [])
            try history.disturb()
            try history.settle()
            try history.requireQuiet()
            try history.writeOver(zone)
            try history.finish()
        }
    )
}

extension SimulationOptions {
    /// Shapes a quiet world of two to four accounts, where a script injects the faults.
    mutating func shapeForRights(_ random: inout SeededGenerator) {
        accountCount = 2 + random.index(below: 2)
        nodeCount = accountCount + random.index(below: accountCount + 1)
        faults = []
        duration = 600_000
        faultDuration = 60_000
        requestsPerMinute = min(requestsPerMinute, 40)
        zoneCount = 1
        recordCount = min(recordCount, 4)
        hasPartialLogs = false
        staticPeers = .all
        commitMilliseconds = min(commitMilliseconds, 100)
    }
}

extension History {
    /// The running devices of an account.
    func devices(of account: AccountID) -> [SimulatedNode] { nodes.filter { $0.accountID == account } }

    /// Begins, and makes all accounts participants in a zone of the first one.
    func openSharedZone(_ level: AccessLevel, prefix: String = "", lasting time: UInt64? = nil) throws -> ZoneID {
        try begin()
        let host = nodes[0]
        let genesis = host.zoneGenesis(options.hasJoinZones ? 1 : 0)
        try host.createZone(genesis)
        let terms = InviteTerms(
            rights: Rights(level, canDelegate: level == .admin),
            caveats: Caveats(
                namePrefix: prefix,
                expires: time.map { host.wallMilliseconds + $0 },
                delegationDepth: level == .admin ? 4 : 0
            ),
            uses: 9,
            expires: host.wallMilliseconds + 3_600_000
        )
        try sharing.invite(on: host, zone: ZoneID(genesis), terms: terms)
        try wait(3_000)
        for account in simulation.accounts.dropFirst() {
            // Only the device that invites grants at once.
            if let link = sharing.links.first { try devices(of: account.id).first?.process?.open(link.invite) }
            try wait(2_000)
        }
        try wait(15_000)
        return ZoneID(genesis)
    }

    /// Divides the network into the nodes that meet a condition and all others.
    func divide(_ isApart: (SimulatedNode) -> Bool) {
        simulation.network.divide(nodes.map { isApart($0) ? 1 : 0 }, isFatal: random.chance(0.5))
    }

    /// Ends the division of the network.
    func rejoin() throws {
        simulation.network.divide(nodes.map { _ in 0 }, isFatal: false)
    }

    /// Writes to a zone on every running device that has it.
    func writeEverywhere(_ zone: ZoneID, times: Int) throws {
        for _ in 0..<times {
            for node in nodes where node.isRunning {
                guard let store = node.store, try store.zone(zone) != nil else { continue }
                try workload.write(workload.makeRequest(zone: zone, store: store), zone: zone, on: node)
                try wait(random.number(10...1_500))
            }
        }
    }

    /// Lets an account delegate a right that it has.
    func grantWithin(_ zone: ZoneID, by giver: AccountID, to taker: AccountID? = nil) throws {
        guard let node = devices(of: giver).first(where: \.isRunning) else { return }
        let others = simulation.accounts.map(\.id).filter { $0 != giver }
        guard let taker = taker ?? random.element(of: others) else { return }
        sharing.grant(
            Rights(.admin, canDelegate: true),
            Caveats(delegationDepth: 1),
            in: zone,
            to: taker,
            on: node
        )
        try wait(1_000)
    }

    /// Sometimes revokes an account with an old disk of the owner's last device: the cut may lie below a checkpoint.
    /// - Returns: Whether it did.
    func expelFromOldDisk(_ account: AccountID, _ zone: ZoneID, _ image: DiskImage?) throws -> Bool {
        let owners = devices(of: simulation.accounts[0].id)
        guard owners.count > 1, random.chance(0.6), let image, let owner = owners.last else { return false }
        divide { $0.index == owner.index }
        try owner.crash()
        guard owner.disk.isNoticed(image, parts: .database) else { return false }
        try owner.restore(image, parts: .database)
        try owner.start()
        sharing.expel(account, from: zone, on: owner)
        return true
    }

    /// Removes a device if its account lets it.
    func removeQuietly(_ node: SimulatedNode, by other: SimulatedNode) throws {
        do {
            try other.remove(node.device)
        } catch is NodeRefusal {
            // It is removed already.
        } catch is AccountError {
            // No full device would be left.
        } catch is StorageError {
            // The account log could not be written: no device was removed.
        }
    }
}
