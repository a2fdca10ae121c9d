import Records
import Sync
import Wire

extension Scenario {
    /// Messages to machines that are off until their senders are off.
    static let relay = Scenario(
        name: "relay",
        summary: "messages to machines that are off until their senders are, by way of a relay that can read nothing",
        shape: { options, random in
            options.hasMessages = true
            options.requestsPerMinute = 1
            // Of each account one machine is a relay.
            options.accountCount = random.chance(0.4) ? 2 : 1
            options.relayCount = 1
            options.nodeCount = options.accountCount > 1 ? 6 : 4 + random.index(below: 2)
            options.zoneCount = 2
            options.faultDuration = min(options.faultDuration, 300_000)
            options.duration = min(options.duration, 1_800_000)
            options.faults = [.crash, .crashInCommit, .restart, .cut, .flapping, .ioError, .slowLinks]
            if random.chance(0.3) { options.faults.formUnion([.restoreDatabase, .loseDatabase]) }
        },
        script: { history in
            history.messenger.payloadShare = 0.4
            try history.begin()
            if history.simulation.hasSeveralAccounts { try history.openHouse() }
            history.messenger.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 8)
            try history.disturb()
            try history.settle()
            let gone = try history.sendByRelay()
            try history.settle(leaving: gone)
            try history.settleMessages()
            try history.checkMessages(areFinished: false)
            try history.finishMessages()
            try history.finish()
        }
    )
}

extension History {
    /// Sends a large message from one machine, which one other gets at once.
    ///
    /// All are switched off when a relay has it, and then those that were off come back.
    /// - Returns: The nodes that stay off.
    fileprivate func sendByRelay() throws -> Set<Int> {
        guard members.count == simulation.workplaces.count, let zone = try zoneToSendIn() else { return [] }
        // Sender, first recipient and absent machines may be of different accounts, and the relay of yet another.
        let nodes = zone.readers.shuffled(using: &random)
        guard nodes.count > 2 else { return [] }
        let (sender, first) = (nodes[0], nodes[1])
        let absent = nodes.dropFirst(2)
        for node in absent { try node.stop() }
        messenger.latestPayload = nil
        messenger.sendLarge(on: sender, zone: zone.id)
        guard
            try simulation.run(
                within: Self.keepingLimit + transferMilliseconds,
                until: {
                    guard let payload = self.messenger.latestPayload, let store = first.store else { return false }
                    return try self.messenger.isRelayed(payload, on: sender, relays: self.relays)
                        && store.payload(payload)?.state == .present
                }
            ) != nil, let payload = messenger.latestPayload
        else { throw kept(sender, "no relay has accepted the message") }
        // Long enough for each holder to acknowledge it.
        try wait(60_000)
        guard try !messenger.isShownAsDelivered(payload, by: sender, to: absent) else {
            throw kept(sender, "a device is shown to have the message, and was off before it was sent")
        }
        let gone = Set([sender.index, first.index])
        faults.kept.formUnion(gone)
        for node in [sender, first] where node.isRunning { try node.stop() }
        for node in absent where !node.isRunning { try node.start() }
        let isThere = {
            try absent.allSatisfy { try $0.store?.payload(payload)?.state == .present }
        }
        guard try simulation.run(within: Self.keepingLimit + transferMilliseconds, until: isThere) != nil else {
            throw kept(sender, "a message that a relay has promised does not arrive")
        }
        return gone
    }

    /// The relays that run.
    private var relays: [SimulatedNode] { nodes.filter { $0.isRunning && simulation.relays.contains($0.index) } }

    /// A zone with its readers; of several accounts, if there are several.
    private func zoneToSendIn() throws -> (id: ZoneID, readers: [SimulatedNode])? {
        let members = members
        let readers = try readers(among: members)
        let shared = readers.filter { Set($0.value.map(\.accountID)).count > 1 }
        if let zone = random.element(of: shared.keys.sorted()) { return (zone, shared[zone] ?? []) }
        guard !simulation.hasSeveralAccounts else { return nil }
        let zone = try members.first?.store?.zones().first { $0.state == .live && !$0.isInternal }
        return zone.map { ($0.id, members) }
    }

    private func kept(_ sender: SimulatedNode, _ text: String) -> Violation {
        let lines = nodes.filter(\.isRunning).map { node in
            let state = messenger.latestPayload.flatMap { try? node.store?.payload($0)?.state }
            let sessions = node.process?.sessionDevices.compactMap { simulation.node(of: $0)?.index }.sorted() ?? []
            let role = simulation.relays.contains(node.index) ? "relay" : "node"
            return "\(role) \(node.index): \(state.map { "\($0)" } ?? "nothing") of it, sessions with \(sessions)"
        }
        let all = [text, messenger.deliveries(of: messenger.latestPayload, on: sender)] + lines
        return Violation(.custody, at: sender, all.joined(separator: "\n  "))
    }

    /// How long that may take, in milliseconds: earlier transfers, a relay that has just refused something for lack
    /// of room, and dials.
    private static let keepingLimit: UInt64 = 900_000
}
