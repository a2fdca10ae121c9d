import Identity
import Session
import Sync
import Wire

extension Scenario {
    /// Strangers take all places that they can get, and a member has to find one.
    static let doors = Scenario(
        name: "doors",
        summary: "strangers hold doors: silent, with half messages, guessed codes, known tickets, overheard bytes",
        shape: { options, random in
            options.nodeCount = 3 + random.index(below: 2)
            options.duration = 600_000
            options.faultDuration = 60_000
            options.hasPartialLogs = false
            options.hasOldPrograms = false
            options.staticPeers = .all
            options.hasAccountKeys = true
            options.hasRooms = true
            options.requestsPerMinute = 10
            options.delayMilliseconds = Double(random.number(2...20))
            options.bytesPerMillisecond = nil
            options.faults = [.replay]
            options.faultsPerMinute = 0
        },
        script: { history in
            try history.begin()
            try history.converge()
            let siege = try Siege(history)
            try siege.hold()
            try history.settle()
            try history.finish()
        }
    )
}

/// A siege of one machine's port, and what its account does meanwhile.
private final class Siege {
    /// A thing that a stranger does with a connection.
    private enum Trick: CaseIterable { case silence, half, guess, ticket, overheard, removed }

    /// From how many addresses; each may connect twice a second.
    private static let addressCount = 24
    /// How often somebody connects, in milliseconds: less often than the oldest of 32 connections needs for its handshake.
    private static let periodMilliseconds: UInt64 = 25

    private let history: History
    private let besieged: SimulatedNode
    private let strangers: [Stranger]
    private let ticket: JoiningSecret
    private let outcast: ChannelSecret?
    private let tricks: [Trick]
    private let overheard: [UInt8]

    init(_ history: History) throws {
        self.history = history
        besieged = history.nodes[0]
        strangers = try (0..<Self.addressCount).map {
            try Stranger(history.simulation, seed: history.random.next(), host: 1 << 24 + UInt32($0))
        }
        guard let process = besieged.process else { throw Violation(.doors, time: 0, node: 0, "nobody is besieged") }
        let offer = try process.offer()
        let end = besieged.wallMilliseconds + PairingOffer.lifetimeMilliseconds
        history.judge.joinings.made(.ticket(identifier: offer.identifier), uses: 1, end: end)
        ticket = .ticket(offer)
        // The key that a device keeps that is removed later.
        outcast = history.options.isSealed ? process.fleet.present : nil
        // One kind alone fills its room.
        let single = history.random.element(of: Trick.allCases) ?? .silence
        tricks = history.random.chance(0.5) ? [single] : Trick.allCases
        overheard =
            history.simulation.network.openConnections.first {
                $0.nodes[1] == 0 && $0.nodes[0] > 0 && !$0.directions[0].record.isEmpty
            }?.directions[0].record ?? []
    }

    private var simulation: Simulation { history.simulation }

    /// Holds doors for some minutes while members come and go.
    func hold() throws {
        let end = simulation.now + history.random.number(60_000...180_000)
        simulation.awaitsMembers = true
        try knock(until: end)
        let others = Array(history.nodes.dropFirst())
        if outcast != nil, others.count > 2 { try besieged.remove(others[others.count - 1].device) }
        while simulation.now < end {
            try history.wait(history.random.number(2_000...15_000))
            let node = others[history.random.index(below: 2)]
            try history.workload.write(on: node)
            if history.random.chance(0.7) { try node.restart() }
        }
        try history.wait(5_000)
        simulation.awaitsMembers = false
        for stranger in strangers { stranger.hangUp() }
    }

    private func knock(until end: UInt64) throws {
        guard simulation.now < end else { return }
        if besieged.isRunning, let stranger = history.random.element(of: strangers) {
            try play(history.random.element(of: tricks) ?? .silence, stranger)
        }
        simulation.schedule(at: simulation.now + Self.periodMilliseconds) { [self] in try knock(until: end) }
    }

    private func play(_ trick: Trick, _ stranger: Stranger) throws {
        switch trick {
        case .silence: try stranger.connect(besieged, saying: [])
        case .half: try stranger.connect(besieged, saying: history.random.bytes(1 + history.random.index(below: 36)))
        case .guess:
            let guess = PairingTicket(using: &history.random)
            try stranger.call(besieged, under: JoiningSecret.ticket(guess).channelSecret) { nil }
        case .ticket: try stranger.call(besieged, under: ticket.channelSecret) { nil }
        case .overheard: try stranger.connect(besieged, saying: overheard)
        case .removed:
            guard let outcast else { return try stranger.connect(besieged, saying: []) }
            try stranger.call(besieged, under: outcast) { nil }
        }
    }
}
