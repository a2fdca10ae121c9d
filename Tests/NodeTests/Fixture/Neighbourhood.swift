import KairanInterface
import Sealing
import Session
import Testing
import Wire

@testable import Node

/// The nodes of one test, all of which are stopped at its end in any case.
actor Neighbourhood {
    private var running: [RunningNode] = []

    /// Starts a node; in a directory that another one has left it goes on there.
    func start(
        _ name: String = "test",
        in directory: TestDirectory? = nil,
        machine: String = "machine",
        peers: [PeerAddress] = [],
        clock: NodeClock = .system,
        log: LogCatcher? = nil,
        unlocking: StateSeal.Source = { _ in nil },
        agreement: ChannelAgreement = .hybrid(MLKEM768Encapsulation()),
        isSealing: Bool = true,
        isRelay: Bool = false,
        metrics: any MetricsPort = NoMetrics()
    ) async throws -> RunningNode {
        let node = try await RunningNode(
            try directory ?? TestDirectory(),
            name: name,
            machine: machine,
            peers: peers,
            clock: clock,
            log: log,
            unlocking: unlocking,
            agreement: agreement,
            isSealing: isSealing,
            isRelay: isRelay,
            metrics: metrics
        )
        await node.untilListening()
        running.append(node)
        return node
    }

    /// Ends a node in order.
    func stop(_ node: RunningNode) async throws {
        running.removeAll { $0 === node }
        try await node.stop()
    }

    /// Ends a node without letting it finish anything.
    func kill(_ node: RunningNode) async throws {
        running.removeAll { $0 === node }
        try await node.kill()
    }

    /// Ends a node and starts it again on the same directory.
    func restart(_ node: RunningNode) async throws -> RunningNode {
        try await stop(node)
        return try await start(in: node.directory)
    }

    func stopAll() async {
        let all = running
        running = []
        for node in all {
            do { try await node.stop() } catch { Issue.record("a node did not end in order: \(error)") }
        }
    }
}

/// Runs a test with nodes, and stops them.
func withNodes(_ body: (Neighbourhood) async throws -> Void) async throws {
    let neighbourhood = Neighbourhood()
    do {
        try await body(neighbourhood)
    } catch {
        await neighbourhood.stopAll()
        throw error
    }
    await neighbourhood.stopAll()
}

/// A condition that a test waited for and that did not come true in time.
struct Missing: Error, CustomStringConvertible {
    var description: String
}

/// Lets one device into the account of another.
/// - Returns: The outcome of the pairing at each of them.
@discardableResult
func pair(
    _ host: RunningNode,
    _ guest: RunningNode,
    role: DeviceRole = .full
) async throws -> (host: PairingOutcome, guest: PairingOutcome) {
    let offer = try await host.node.pairing.offerPairing(role: role)
    await guest.node.sync.add(peers: [host.address])
    let guestOutcome = try await guest.node.pairing.acceptPairing(ticket: offer.ticket)
    let hostOutcome = try await host.node.pairing.awaitPairing(ticket: offer.ticket, waitMilliseconds: 30_000)
    return (try #require(hostOutcome), guestOutcome)
}

/// Waits until all nodes hold the same state of a zone as the first one does.
func converged(_ zone: ZoneID, _ nodes: RunningNode...) async throws {
    guard let first = nodes.first else { return }
    for node in nodes.dropFirst() {
        try await node.until("the zone is the same") { node in
            guard let zone = try await node.zones.zoneIfKnown(zone.text) else { return false }
            return try await first.node.zones.zone(zone.zone.text).digest == zone.digest
        }
    }
}
