import Records
import Sync
import Wire

extension Scenario {
    /// Contents that devices evict.
    static let evictions = Scenario(
        name: "evictions",
        summary: "contents that devices evict at the same moment, by promises of others that crash or are rolled back",
        shape: { options, random in
            options.hasAssets = true
            options.requestsPerMinute = 1
            options.faultDuration = min(options.faultDuration, 300_000)
            options.duration = min(options.duration, 1_800_000)
            // An attempt takes two commits, and each of its promises another one; it lasts ten seconds at most.
            options.commitMilliseconds = min(options.commitMilliseconds, 500)
            options.hasPartialLogs = false
            if random.chance(0.25) {
                options.accountCount = 2
                options.nodeCount = 3 + random.index(below: 2)
                options.zoneCount = 1
                options.staticPeers = .all
                options.faults = [.crash, .restart, .cut, .flapping, .slowLinks]
                return
            }
            options.accountCount = 1
            options.nodeCount = 3 + random.index(below: 3)
            options.zoneCount = 2
            options.faults = [.crash, .crashInCommit, .restart, .cut, .silentDeath, .partition, .flapping, .ioError]
            if random.chance(0.5) { options.faults.insert(.slowLinks) }
            if random.chance(0.4) {
                options.faults.formUnion([.restoreDatabase, .restoreWithSentinel, .restoreWhole, .loseDatabase])
            }
            if random.chance(0.2) { options.faults.insert(.clockJump) }
        },
        script: { history in
            let isShared = history.simulation.hasSeveralAccounts
            if isShared { _ = try history.openSharedZone(.write) } else { try history.begin() }
            history.assets.evictionShare = 0.4
            history.assets.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 20)
            try history.disturb()
            try history.settle()
            try history.settleAssets()
            if !isShared {
                try history.loseAPromise()
                try history.keepAPromiseForLong()
            }
            try history.fetchEvicted()
            try history.settleAssets()
            try history.judge.evictions.checkKept(among: history.members)
            try history.finish()
        }
    )
}

extension History {
    /// Three machines that all have a content, and no others are on.
    private struct Trio {
        let evictor: SimulatedNode
        let first: SimulatedNode
        let second: SimulatedNode
        let payload: PayloadID
        let off: [SimulatedNode]
    }

    /// The time for a new content to be known by all machines, and the time for it to be there, in milliseconds.
    private static let spreadMilliseconds: UInt64 = 120_000
    /// The delay of the link to the machine that promises late, in milliseconds.
    private static let lateMilliseconds = 2_500.0
    /// The time in which a machine promises that is near, in milliseconds.
    private static let promptMilliseconds: UInt64 = 4_000
    /// A longer time than that of an attempt, in milliseconds.
    private static let attemptMilliseconds: UInt64 = 15_000

    /// Lets a machine ask two others for promises, and kills the first one that has promised before the second one has.
    ///
    /// A promise is used on the session on which it came alone, so that the machine keeps its content.
    fileprivate func loseAPromise() throws {
        guard let trio = try chooseThree(for: "lost") else { return }
        let (evictor, network) = (trio.evictor, simulation.network)
        let links = [(evictor, trio.second), (trio.second, evictor)]
        for (from, to) in links {
            network.set(
                from: from.index,
                to: to.index,
                delayMilliseconds: Self.lateMilliseconds,
                bytesPerMillisecond: nil
            )
        }
        try assets.evict(trio.payload, copies: 2, on: evictor)
        let hasPromised = { self.judge.evictions.hasPromised(trio.payload, trio.first, to: evictor) }
        if try simulation.run(within: Self.promptMilliseconds, every: 50, until: hasPromised) != nil {
            try trio.first.kill()
        }
        try wait(Self.attemptMilliseconds)
        for (from, to) in links {
            network.set(from: from.index, to: to.index, delayMilliseconds: nil, bytesPerMillisecond: nil)
        }
        try meetAgain(trio)
    }

    /// Lets a machine have one of two promises, and another machine that could make the second one come back when the first one has been
    /// made too long before.
    fileprivate func keepAPromiseForLong() throws {
        guard let trio = try chooseThree(for: "kept") else { return }
        try trio.second.stop()
        try assets.evict(trio.payload, copies: 2, on: trio.evictor)
        try wait(random.number(960_000...1_200_000))
        try trio.second.start()
        try wait(60_000)
        try meetAgain(trio)
    }

    /// Attaches a content on one of three machines, lets the others fetch it, and switches all other machines off.
    /// - Returns: `nil` where it is not on all three in time.
    private func chooseThree(for name: String) throws -> Trio? {
        let nodes = members.shuffled(using: &random)
        guard nodes.count > 2, let store = nodes[0].store else { return nil }
        let zones = try store.zones().map(\.id).sorted()
        guard let zone = try zones.first(where: { zone in try nodes.allSatisfy { try assets.isOpen(zone, $0) } }) else {
            return nil
        }
        let last = assets.latest
        assets.attach(random.bytes(20_000), to: name, on: nodes[0], zone: zone)
        let isKnown: () throws -> Bool = {
            guard let payload = self.assets.latest, payload != last else { return false }
            return try nodes[0...2].allSatisfy { node in
                guard let store = node.store else { return false }
                return try NamedAssets(in: store).places[payload] != nil
            }
        }
        guard try simulation.run(within: Self.spreadMilliseconds, until: isKnown) != nil, let payload = assets.latest
        else { return nil }
        for node in nodes[1...2] { assets.fetch(payload, zone: zone, on: node) }
        let isThere: () throws -> Bool = {
            try nodes[0...2].allSatisfy { try $0.store?.payload(payload)?.state == .present }
        }
        guard try simulation.run(within: Self.spreadMilliseconds, until: isThere) != nil else { return nil }
        let off = Array(nodes[3...])
        for node in off { try node.stop() }
        return Trio(evictor: nodes[0], first: nodes[1], second: nodes[2], payload: payload, off: off)
    }

    /// Switches all machines on, and waits until they agree.
    private func meetAgain(_ trio: Trio) throws {
        for node in [trio.first, trio.second] + trio.off where !node.isRunning { try node.start() }
        try converge()
    }

    /// Asks for all contents that were evicted.
    fileprivate func fetchEvicted() throws {
        for node in members {
            guard let store = node.store else { continue }
            for (payload, places) in try NamedAssets(in: store).places.sorted(by: { $0.key < $1.key }) {
                guard try store.payload(payload)?.state == .evicted,
                    let place = try places.first(where: { try assets.isOpen($0.zone, node) })
                else { continue }
                assets.fetch(payload, zone: place.zone, on: node)
            }
        }
    }
}
