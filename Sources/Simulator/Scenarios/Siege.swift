import Identity
import Peering
import Session
import Sync
import Wire

/// Strangers at one machine's port that take all places they can get.
final class Siege {
    /// A stranger's use of a connection.
    private enum Trick: CaseIterable { case silence, half, guess, ticket, overheard, removed }

    /// The number of addresses of the strangers; each may connect twice a second.
    private static let addressCount = 24

    let history: History
    let besieged: SimulatedNode
    private let draws: ReferenceWritableKeyPath<History, SeededGenerator>
    private let strangers: [Stranger]
    private let ticket: JoiningSecret
    private let outcast: ChannelSecret?
    private let tricks: [Trick]
    private let overheard: [UInt8]

    /// Creates strangers that know a ticket of the machine, and the present key of the account's devices.
    /// - Parameters:
    ///   - history: The history.
    ///   - besieged: The machine, which runs.
    ///   - draws: The source of randomness.
    /// - Throws: ``Violation``; `StorageError` where the machine's disk fails.
    init(
        _ history: History,
        of besieged: SimulatedNode,
        drawing draws: ReferenceWritableKeyPath<History, SeededGenerator>
    ) throws {
        self.history = history
        self.besieged = besieged
        self.draws = draws
        strangers = try (0..<Self.addressCount).map {
            try Stranger(history.simulation, seed: history[keyPath: draws].next(), host: 1 << 24 + UInt32($0))
        }
        guard let process = besieged.process else {
            throw Violation(.doors, time: 0, node: besieged.index, "no machine is under siege")
        }
        let offer = try process.offer()
        let end = besieged.wallMilliseconds + PairingOffer.lifetimeMilliseconds
        history.judge.joinings.made(.ticket(identifier: offer.identifier), uses: 1, end: end)
        ticket = .ticket(offer)
        // The key of a device that is removed later, which keeps it.
        outcast = history.options.isSealed ? process.fleet.secret : nil
        // A single kind of trick fills its room.
        let single = history[keyPath: draws].element(of: Trick.allCases) ?? .silence
        tricks = history[keyPath: draws].chance(0.5) ? [single] : Trick.allCases
        overheard =
            history.simulation.network.openConnections.first {
                $0.nodes[1] == besieged.index && $0.nodes[0] >= 0 && !$0.directions[0].record.isEmpty
            }?.directions[0].record ?? []
    }

    var simulation: Simulation { history.simulation }

    /// Whether the strangers have a key of the account's devices.
    var hasOutcast: Bool { outcast != nil }

    /// Lets one stranger after the other connect.
    /// - Parameters:
    ///   - end: The time until which strangers connect, in simulated milliseconds.
    ///   - period: The interval between connections, in milliseconds.
    /// - Throws: ``Violation``.
    func knock(until end: UInt64, every period: UInt64) throws {
        guard simulation.now < end else { return }
        if besieged.isRunning, let stranger = history[keyPath: draws].element(of: strangers) {
            try play(history[keyPath: draws].element(of: tricks) ?? .silence, stranger)
        }
        simulation.schedule(at: simulation.now + period) { [self] in try knock(until: end, every: period) }
    }

    /// Ends all connections of the strangers.
    func hangUp() {
        for stranger in strangers { stranger.hangUp() }
    }

    private func play(_ trick: Trick, _ stranger: Stranger) throws {
        switch trick {
        case .silence: try stranger.connect(besieged, saying: [])
        case .half:
            let count = 1 + history[keyPath: draws].index(below: 36)
            try stranger.connect(besieged, saying: history[keyPath: draws].bytes(count))
        case .guess:
            let guess = PairingTicket(using: &history[keyPath: draws])
            try stranger.call(besieged, under: JoiningSecret.ticket(guess).channelSecret) { nil }
        case .ticket: try stranger.call(besieged, under: ticket.channelSecret) { nil }
        case .overheard: try stranger.connect(besieged, saying: overheard)
        case .removed:
            guard let outcast else { return try stranger.connect(besieged, saying: []) }
            try stranger.call(besieged, under: outcast) { nil }
        }
    }
}
