import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Contents that records name.
    static let assets = Scenario(
        name: "assets",
        summary: "contents that records name, copy and drop, under all policies, with members that lie about them",
        shape: { options, random in
            options.hasAssets = true
            options.requestsPerMinute = 1
            options.faultDuration = min(options.faultDuration, 300_000)
            options.duration = min(options.duration, 1_800_000)
            options.hasPartialLogs = false
            if random.chance(0.35) {
                options.accountCount = 2
                options.nodeCount = 3 + random.index(below: 2)
                options.zoneCount = 1
                options.staticPeers = .all
                options.faults = [.crash, .restart, .cut, .flapping, .slowLinks]
                return
            }
            options.hasMessages = true
            options.accountCount = 1
            options.nodeCount = 3 + random.index(below: 3)
            options.zoneCount = 3
            options.faults = [.crash, .crashInCommit, .restart, .cut, .flapping, .ioError, .slowLinks]
            if random.chance(0.3) { options.faults.formUnion([.restoreDatabase, .loseDatabase]) }
            if options.nodeCount > 3, random.chance(0.5) { options.faults.insert(.byzantine) }
        },
        script: { history in
            history.faults.misdeeds = Misdeed.ofPayloads
            if history.simulation.hasSeveralAccounts {
                try history.moveHouse()
            } else {
                try history.begin()
                history.messenger.payloadShare = 0.4
                history.messenger.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 2)
            }
            if history.options.allows(.byzantine) {
                try history.faults.happen(.byzantine)
                history.assets.liar = history.faults.byzantineNode
            }
            history.assets.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 12)
            try history.disturb()
            try history.settle()
            try history.settleAssets()
            if history.random.chance(0.6) { try history.waitForTheEndOfAssets() }
            try history.finish()
        }
    )
}

extension History {
    /// How long a content may take to reach all nodes that want it, in milliseconds.
    ///
    /// A peer that has nothing of it is not asked again for a minute, where more is wanted than the core knows for two, and there may be several
    /// such peers.
    private static let fetchingLimit: UInt64 = 900_000
    /// More than the time for which contents are kept that no record names, in milliseconds.
    private static let unnamedMilliseconds: UInt64 = 8 * 24 * 60 * 60 * 1_000
    /// The rate of the link to readers that are not to have all of a content for half a minute, in bytes for each millisecond.
    private static let slowRate: UInt64 = 10

    /// Begins with two zones that two accounts share; a content is copied from one to the other while the readers fetch it, and then their
    /// right in the first zone ends: they have to ask under the second one.
    fileprivate func moveHouse() throws {
        let (host, network) = (nodes[0], simulation.network)
        let first = try openSharedZone(.write)
        let genesis = host.zoneGenesis(2)
        let second = ZoneID(genesis)
        try host.createZone(genesis)
        try wait(2_000)
        let guests = nodes.filter { $0.accountID != host.accountID }
        guard let guest = guests.first else { return }
        sharing.grant(Rights(.write), Caveats(), in: second, to: guest.accountID, on: host)
        try wait(10_000)
        for other in guests { other.accept(second) }
        try wait(20_000)
        let hosts = nodes.filter { $0.accountID == host.accountID }
        let links = hosts.flatMap { holder in guests.map { (from: holder.index, to: $0.index) } }
        for link in links {
            network.set(from: link.from, to: link.to, delayMilliseconds: 20, bytesPerMillisecond: Self.slowRate)
        }
        assets.attach(random.bytes(300_000), to: "moved", on: host, zone: first)
        let isWanted = { try self.assets.latest.flatMap { try guest.store?.payload($0) }?.state == .wanted }
        if try simulation.run(within: 120_000, until: isWanted) != nil, let payload = assets.latest,
            let store = host.store, let place = try NamedAssets(in: store).places[payload]?.first
        {
            assets.write([place.asset], false, to: "moved", on: host, zone: second)
            _ = try simulation.run(within: 120_000) {
                guard let store = guest.store else { return false }
                return try NamedAssets(in: store).places[payload]?.contains { $0.zone == second } ?? false
            }
            sharing.expel(guest.accountID, from: first, on: host)
            try wait(5_000)
        }
        for link in links {
            network.set(from: link.from, to: link.to, delayMilliseconds: nil, bytesPerMillisecond: nil)
        }
    }

    /// Waits until contents have reached the nodes that are to have them, and checks them.
    func settleAssets() throws {
        repeat {
            // A round of maintenance retries failed work.
            try wait(90_000)
            try converge()
            let limit = Self.fetchingLimit + transferMilliseconds
            let time = try simulation.run(within: limit, until: { try self.unfetched() == nil })
            guard time == nil, let missing = try unfetched() else { continue }
            throw Violation(
                .assets,
                at: missing.node,
                "the content \(missing.payload.shortText) is wanted, and node \(missing.holder.index) has it"
            )
        } while try unfetched() != nil
        for node in members { try judge.assets.checkContents(of: node) }
    }

    /// Lets all machines sleep for so long that nothing is kept any more which no record names.
    fileprivate func waitForTheEndOfAssets() throws {
        // Rounds of maintenance note what is not named.
        try wait(150_000)
        try sleep(Self.unnamedMilliseconds)
        try wait(240_000)
        try settleAssets()
        for node in members { try judge.assets.checkCollected(on: node) }
    }

    /// A content that a member is to have, and that another member has which may be asked.
    private func unfetched() throws -> (node: SimulatedNode, payload: PayloadID, holder: SimulatedNode)? {
        let members = members
        for node in members {
            let missing = try judge.assets.unfetched(on: node, among: members) { try assets.isOpen($0, $1) }
            if let missing { return (node, missing.payload, missing.holder) }
        }
        return nil
    }
}
