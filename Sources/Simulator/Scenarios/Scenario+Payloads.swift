import Records
import Sync
import Wire

extension Scenario {
    /// Large messages that travel by way of others.
    static let payloads = Scenario(
        name: "payloads",
        summary: "large messages that arrive by way of others, some of which lie, after their senders have gone",
        shape: { options, random in
            options.hasMessages = true
            options.requestsPerMinute = 1
            options.accountCount = 1
            options.nodeCount = 3 + random.index(below: 3)
            options.zoneCount = 2
            options.faultDuration = min(options.faultDuration, 300_000)
            options.duration = min(options.duration, 1_800_000)
            options.faults = [.crash, .crashInCommit, .restart, .cut, .flapping, .ioError, .slowLinks]
            if options.nodeCount > 3, random.chance(0.6) { options.faults.insert(.byzantine) }
        },
        script: { history in
            history.faults.misdeeds = Misdeed.ofPayloads
            history.messenger.payloadShare = 0.4
            try history.begin()
            if history.options.allows(.byzantine) { try history.faults.happen(.byzantine) }
            history.messenger.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 8)
            try history.disturb()
            let gone = try history.relay()
            try history.settle(leaving: gone)
            try history.settleMessages()
            try history.checkMessages(areFinished: false)
            try history.finishMessages()
            try history.finish()
        }
    )
}

extension History {
    /// Sends a large message to one machine alone, over a slow link, and switches its sender off once that machine
    /// has all of it.
    ///
    /// All other machines know the message before that, and have only that one machine to ask.
    /// - Returns: The sender, which stays off.
    fileprivate func relay() throws -> Set<Int> {
        let nodes = members.shuffled(using: &random)
        guard nodes.count > 2,
            let zone = try nodes[0].store?.zones().first(where: { $0.state == .live && !$0.isInternal })
        else { return [] }
        let (sender, helper, network) = (nodes[0].index, nodes[1].index, simulation.network)
        for other in simulation.nodes.indices where other != sender && other != helper {
            network.block(from: sender, to: other)
            network.block(from: other, to: sender)
        }
        network.set(from: sender, to: helper, delayMilliseconds: 100, bytesPerMillisecond: 20)
        // A machine with a session with the sender still asks it, without an answer, until the session is over.
        try wait(60_000)
        messenger.latestPayload = nil
        messenger.sendLarge(on: nodes[0], zone: zone.id)
        _ = try simulation.run(within: Self.relayLimit + transferMilliseconds) {
            guard let payload = self.messenger.latestPayload else { return false }
            return try nodes[1].store?.payload(payload)?.state == .present
        }
        faults.kept.insert(sender)
        if nodes[0].isRunning { try nodes[0].stop() }
        return [sender]
    }

    /// How long that may take, in milliseconds: earlier transfers, and faults that are not over.
    private static let relayLimit: UInt64 = 180_000
}
