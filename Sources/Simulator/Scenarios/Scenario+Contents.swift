import Records
import Sync
import Wire

extension Scenario {
    /// Contents for machines that come when no other one is on.
    static let contents = Scenario(
        name: "contents",
        summary: "contents that records name, for machines that come when only a relay is on, which can read nothing",
        shape: { options, random in
            options.hasAssets = true
            options.requestsPerMinute = 1
            // One machine is a relay.
            options.accountCount = 1
            options.relayCount = 1
            options.nodeCount = 4 + random.index(below: 2)
            options.zoneCount = 2
            options.hasPartialLogs = false
            options.faultDuration = min(options.faultDuration, 300_000)
            options.duration = min(options.duration, 1_800_000)
            options.commitMilliseconds = min(options.commitMilliseconds, 500)
            options.faults = [.crash, .crashInCommit, .restart, .cut, .flapping, .ioError, .slowLinks]
            if random.chance(0.3) { options.faults.formUnion([.restoreDatabase, .loseDatabase]) }
        },
        script: { history in
            try history.begin()
            history.assets.evictionShare = 0.1
            history.assets.relayShare = 0.1
            history.assets.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 12)
            try history.disturb()
            try history.settle()
            try history.settleAssets()
            let gone = try history.leaveWithRelay()
            try history.settle(leaving: gone)
            try history.finish()
        }
    )
}

extension History {
    /// The time in which a relay has kept a content, and the time in which it has arrived elsewhere, in milliseconds: earlier transfers, the time
    /// after a refusal, and dials.
    private static let contentLimit: UInt64 = 1_500_000

    /// Attaches a content on one machine, which a relay keeps for it alone, and switches all machines off that have it, half the time after the
    /// first one has evicted it.
    ///
    /// Then the others come, and have to get the content from the relay.
    /// - Returns: The machines that stay off.
    fileprivate func leaveWithRelay() throws -> Set<Int> {
        let nodes = members.shuffled(using: &random)
        guard nodes.count > 2, nodes.count == simulation.workplaces.count, let store = nodes[0].store else { return [] }
        let zones = try store.zones().map(\.id).sorted()
        guard let zone = try zones.first(where: { zone in try nodes.allSatisfy { try assets.isOpen(zone, $0) } }) else {
            return []
        }
        let (owner, second, absent) = (nodes[0], nodes[1], Array(nodes[2...]))
        for node in absent { try node.stop() }
        assets.keep(true, zone: zone, on: owner)
        // A relay keeps what several devices have asked for.
        assets.keep(false, zone: zone, on: second)
        try wait(5_000)
        let last = assets.latest
        assets.attach(random.bytes(200_000), to: "left", on: owner, zone: zone)
        let isKept: () throws -> Bool = {
            guard let payload = self.assets.latest, payload != last, let store = owner.store else { return false }
            return try store.custodies(of: payload).contains { $0.kind == .record }
        }
        guard try simulation.run(within: Self.contentLimit, until: isKept) != nil, let payload = assets.latest else {
            throw Violation(.custody, at: owner, "no relay keeps a content that is left with it")
        }
        if random.chance(0.5) { try evict(payload, zone: zone, on: owner, by: second) }
        // Long enough for the relay to have the record, and to be told of a release.
        try wait(150_000)
        let gone: Set<Int> = [owner.index, second.index]
        faults.kept.formUnion(gone)
        for node in [owner, second] where node.isRunning { try node.stop() }
        for node in absent where !node.isRunning { try node.start() }
        try wait(60_000)
        for node in absent { assets.fetch(payload, zone: zone, on: node) }
        let isThere = { try absent.allSatisfy { try $0.store?.payload(payload)?.state == .present } }
        guard try simulation.run(within: Self.contentLimit + transferMilliseconds, until: isThere) != nil else {
            throw Violation(.custody, at: owner, "a content that a relay has promised to keep does not arrive from it")
        }
        return gone
    }

    /// Has a machine evict a content by the promise of another one, if that has it in time.
    private func evict(
        _ payload: PayloadID,
        zone: ZoneID,
        on node: SimulatedNode,
        by holder: SimulatedNode
    ) throws {
        assets.fetch(payload, zone: zone, on: holder)
        let isThere = { try holder.store?.payload(payload)?.state == .present }
        guard try simulation.run(within: 120_000, until: isThere) != nil else { return }
        try assets.evict(payload, copies: 1, on: node)
        try wait(15_000)
    }
}
