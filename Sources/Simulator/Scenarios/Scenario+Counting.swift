import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Invitations whose uses a relay counts, redeemed at any machine of the account.
    static let counting = Scenario(
        name: "counting",
        summary: "accounts admit each other on any of their machines, which are partitioned, while a relay counts",
        shape: { options, random in
            options.shapeForSharing(&random)
            options.accountCount = 3
            options.nodeCount = 6 + random.index(below: 3)
            options.mailRelayCount = 1
            options.staticPeers = .all
            options.faults = [.crash, .crashInCommit, .restart, .partition]
        },
        script: { history in
            try history.begin()
            try history.useOneRelay()
            try history.openCountedHouse()
            try history.disturb()
            try history.conclude()
        }
    )
}

extension History {
    /// Makes each account use the relay, and waits until all machines know.
    fileprivate func useOneRelay() throws {
        guard let relay = simulation.mailRelays.first else { return }
        for account in simulation.accounts {
            guard let node = nodes.first(where: { $0.accountID == account.id }) else { continue }
            node.decide("use") { committer, _, transaction in try RelayUses(committer).add(relay.link, in: &transaction)
            }
        }
        let isKnown = { self.nodes.allSatisfy { $0.process?.mail.relayStates.map(\.state) == [.connected] } }
        guard try simulation.run(within: 60_000, until: isKnown) != nil else {
            throw Violation(.convergence, in: simulation, "not all machines use the relay")
        }
    }

    /// Lets other accounts redeem invitations at machines that are cut off from each other.
    ///
    /// Each account makes invitations, which all its machines know before they are separated; sometimes the relay is
    /// off for a while.
    fileprivate func openCountedHouse() throws {
        sharing.countsByRelay = true
        for account in simulation.accounts {
            guard let host = nodes.first(where: { $0.accountID == account.id }) else { continue }
            let genesis = host.zoneGenesis(random.index(below: 2))
            try host.createZone(genesis)
            try wait(100)
            let terms = InviteTerms(
                rights: Rights(.write, canDelegate: true),
                caveats: Caveats(delegationDepth: 2),
                uses: random.chance(0.8) ? 1 : 2,
                expires: host.wallMilliseconds + 3_600_000
            )
            try sharing.invite(on: host, zone: ZoneID(genesis), terms: terms)
        }
        try wait(10_000)
        let first = Set(simulation.accounts.compactMap { account in nodes.first { $0.accountID == account.id }?.index })
        simulation.network.divide(nodes.map { first.contains($0.index) ? 0 : 1 }, isFatal: false)
        if random.chance(0.4) { simulation.mailRelays.first?.begin(.off) }
        for round in 0..<3 {
            for link in sharing.links {
                // All ask at once, each at a machine in its own part of the network.
                for node in nodes where node.accountID != link.inviter { try sharing.ask(link, from: node) }
            }
            try wait(round == 1 ? 30_000 : 6_000)
            if round == 1 { simulation.mailRelays.first?.begin(nil) }
        }
        simulation.network.heal()
    }
}
