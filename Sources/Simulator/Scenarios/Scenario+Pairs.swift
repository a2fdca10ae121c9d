import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Zones that two accounts derive apart from each other.
    static let pairs = Scenario(
        name: "pairs",
        summary:
            "two partitioned accounts make one zone, leave it and come back; some make statements that need both",
        shape: { options, random in
            options.shapeForSharing(&random)
            options.hasPairs = true
            options.accountCount = min(options.accountCount, 3)
        },
        script: { history in
            try history.begin()
            try history.openHouse()
            history.sharing.makesPairs = true
            let (first, second) = (history.simulation.accounts[0].id, history.simulation.accounts[1].id)
            history.divide { $0.accountID == second }
            for _ in 0..<3 {
                for node in history.nodes where node.accountID == first || node.accountID == second {
                    history.sharing.enterPair(on: node, with: node.accountID == first ? second : first)
                    try history.wait(history.random.number(10...2_000))
                }
                for pair in try history.pairs() { try history.writeEverywhere(pair, times: 1) }
            }
            try history.rejoin()
            try history.wait(20_000)
            if history.random.chance(0.5) { try history.sayWhatNeitherMay(second) }
            try history.disturb()
            try history.conclude()
            try history.checkPairs()
        }
    )
}

extension History {
    /// The pair zones that any node has.
    fileprivate func pairs() throws -> [ZoneID] {
        let rows = try nodes.flatMap { try $0.store?.zones() ?? [] }
        return Set(rows.filter { $0.genesis.partner != nil }.map(\.id)).sorted()
    }

    /// Lets a modified daemon of an account delete pair zones, or let others in.
    fileprivate func sayWhatNeitherMay(_ account: AccountID) throws {
        guard let node = devices(of: account).last(where: \.isRunning) else { return }
        for _ in 0..<12 {
            try ByzantineMember(node, judge: judge, seed: random.next())?.commit(.unlawfulGrant)
            try wait(1_000)
        }
    }

    /// Requires that there is one zone for two accounts, a container and a name.
    fileprivate func checkPairs() throws {
        var zones: [[String]: ZoneID] = [:]
        for node in nodes {
            for row in try node.store?.zones() ?? [] where row.genesis.partner != nil {
                let what = row.genesis.owners.map(\.text).sorted() + [row.genesis.container, row.genesis.name]
                guard zones.updateValue(row.id, forKey: what) ?? row.id == row.id else {
                    throw Violation(.convergence, at: node, "two accounts have two zones with one name")
                }
            }
        }
    }
}
