import Identity
import Peering
import Session
import Sodium
import Sync
import Wire

/// A machine that is no node: it opens channels to nodes, as far as its keys allow, and sends anything.
final class Stranger {
    private unowned let simulation: Simulation
    private var random: SeededGenerator
    private let keys: DeviceIdentity
    private let certificate: VerifiedCertificate
    private let host: UInt32
    /// One connection.
    private final class Call {
        unowned let connection: Connection
        var core: ChannelCore
        init(_ connection: Connection, _ core: consuming ChannelCore) {
            self.connection = connection
            self.core = core
        }
    }

    init(_ simulation: Simulation, seed: UInt64, host: UInt32 = 0) throws {
        self.simulation = simulation
        self.host = host
        random = SeededGenerator(seed: seed)
        keys = DeviceIdentity(using: &random)
        certificate = try keys.certificate(name: "stranger", issued: Simulation.wallStart, encapsulationKey: [])
    }

    /// Asks a node to be let in, with a certificate other than the channel's: this is only an attempt, and lets no
    /// device in.
    func ask(_ node: SimulatedNode, with secret: JoiningSecret) throws {
        let other = DeviceIdentity(using: &random)
        let shown = try other.certificate(name: "stranger", issued: Simulation.wallStart, encapsulationKey: [])
        let request = PairRequest(certificate: shown.signed.encoded, account: node.accountID)
        try call(node, under: secret.channelSecret) { .pairRequest(request) }
    }

    /// Asks a node to be let in by recovery words, over heads of the account log from before they were replaced.
    func recover(_ node: SimulatedNode, with words: RecoveryKey, over heads: [Hash]) throws {
        let entry = try words.entryAdding(certificate, account: node.accountID, heads: heads, using: &random)
        let request = RecoverRequest(entry: entry.encoded)
        try call(node, under: JoiningSecret.words(words).channelSecret) { .recoverRequest(request) }
    }

    /// Connects, and sends these bytes and nothing more.
    func connect(_ node: SimulatedNode, saying bytes: [UInt8]) throws {
        guard let connection = try simulation.network.connectStranger(to: node, from: host) else { return }
        simulation.network.send(bytes, on: connection, side: 0)
    }

    /// Hangs up all its connections.
    func hangUp() {
        let network = simulation.network
        for connection in network.openConnections where connection.nodes[0] < 0 && connection.origin == host {
            network.hangUp(connection, side: 0)
        }
    }

    /// Opens a channel, and sends one message once it stands.
    func call(_ node: SimulatedNode, under secret: ChannelSecret, saying message: @escaping () -> PeerMessage?) throws {
        let payload = HandshakePayload(
            certificate: certificate.signed.encoded,
            account: node.accountID,
            accountHeads: [],
            boot: random.bytes(HandshakePayload.bootByteCount),
            wallMilliseconds: node.wallMilliseconds,
            listenPort: 1
        )
        guard let connection = try simulation.network.connectStranger(to: node, from: host) else { return }
        let core: ChannelCore
        do {
            core = try ChannelCore(
                initiatorWith: secret,
                staticKey: keys.agreementKey,
                localPayload: payload.encoded,
                agreement: node.agreement,
                startedAt: simulation.now,
                using: &random
            )
        } catch {
            throw Violation(.doors, in: simulation, "a stranger's handshake failed: \(error)")
        }
        let call = Call(connection, core)
        // The connection keeps the call.
        connection.tap = { [self] bytes in
            var events: [ChannelEvent] = []
            call.core.received(bytes, into: &events)
            perform(events, on: call, saying: message)
        }
        var events: [ChannelEvent] = []
        call.core.start(into: &events)
        perform(events, on: call, saying: message)
    }

    private func perform(_ events: [ChannelEvent], on call: Call, saying message: () -> PeerMessage?) {
        for event in events {
            switch event {
            case .send(let bytes):
                simulation.network.send(bytes, on: call.connection, side: 0)
            case .established:
                guard let message = message() else { continue }
                var bytes: [UInt8] = []
                // A message that cannot be sent is dropped.
                try? call.core.send(message: message.encoded, into: &bytes)
                simulation.network.send(bytes, on: call.connection, side: 0)
            case .message, .closed, .ignore:
                break
            }
        }
    }
}
