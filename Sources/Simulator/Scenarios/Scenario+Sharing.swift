import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Zones that several accounts share.
    static let sharing = Scenario(
        name: "sharing",
        summary: "accounts share zones, write, delegate, revoke, leave, transfer, adopt and purge",
        shape: { options, random in options.shapeForSharing(&random) },
        script: { history in
            try history.begin()
            try history.openHouse()
            try history.disturb()
            try history.conclude()
        }
    )
}

extension Scenario {
    /// Public zones, and accounts that only read them.
    static let publicZones = Scenario(
        name: "public-zones",
        summary:
            "accounts make each other's zones public and private; others read them by their links, and leave",
        shape: { options, random in options.shapeForSharing(&random) },
        script: { history in
            try history.begin()
            history.sharing.opensZones = true
            try history.openHouse()
            try history.openDoors()
            try history.disturb()
            try history.conclude()
        }
    )
}

extension SimulationOptions {
    /// Shapes two to four accounts with one to three devices each, and the usual faults of machines.
    mutating func shapeForSharing(_ random: inout SeededGenerator) {
        accountCount = 2 + random.index(below: 3)
        nodeCount = max(nodeCount, accountCount) + random.index(below: accountCount)
        nodeCount = min(nodeCount, 3 * accountCount)
        let usual: Set<FaultKind> = [
            .crash, .restart, .partition, .oneWay, .flapping, .silentDeath, .cut, .slowLinks, .roaming, .removal,
            .addition, .crashInCommit,
        ]
        faults.formIntersection(usual)
        zoneCount = min(zoneCount, 3)
        duration = min(duration, 3_600_000)
        faultDuration = min(faultDuration, 900_000)
        staticPeers = random.chance(0.6) ? .all : staticPeers
    }
}

extension History {
    /// Lets each account create a zone, and invites the others into some of them.
    func openHouse() throws {
        for (number, account) in simulation.accounts.enumerated() {
            guard number == 0 || random.chance(0.6), let host = nodes.first(where: { $0.accountID == account.id })
            else { continue }
            let genesis = host.zoneGenesis(random.index(below: 2))
            try host.createZone(genesis)
            try wait(100)
            let rights = Rights(random.chance(0.6) ? .write : .admin, canDelegate: true)
            let terms = InviteTerms(
                rights: rights,
                caveats: Caveats(delegationDepth: 2),
                uses: random.chance(0.4) ? 1 : 4,
                expires: host.wallMilliseconds + 3_600_000
            )
            try sharing.invite(on: host, zone: ZoneID(genesis), terms: terms)
            try wait(1_000)
        }
        for link in sharing.links {
            for account in simulation.accounts where account.id != link.inviter && random.chance(0.8) {
                try sharing.ask(link, from: nodes.first { $0.accountID == account.id })
                try wait(1_000)
            }
        }
        try wait(10_000)
    }

    /// Makes zones of some accounts public, and lets others read them.
    func openDoors() throws {
        for node in nodes where random.chance(0.5) {
            guard
                let zone = try node.store?.zones().first(where: { $0.genesis.owner == node.accountID && !$0.isInternal }
                )
            else { continue }
            try sharing.publish(on: node, zone: zone.id, isOpen: true)
        }
        try wait(5_000)
        for node in nodes where random.chance(0.7) { sharing.open(on: node) }
        try wait(20_000)
    }
}
