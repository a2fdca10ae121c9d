import Identity
import Peering
import Session
import Sync
import Wire

/// The channels of a process: the production channel over virtual connections, the peers at their
/// other ends, and their messages.
final class ProcessChannels {
    /// A session's channel.
    struct Link {
        let end: ChannelEnd
        let device: DeviceID
        let account: AccountID
    }

    /// The longest message in either direction; a run is the longest there is.
    private static let messageByteCountMax = 20 << 20
    /// The longest time that the handshake of an awaited member may take, in milliseconds.
    private static let awaitedMilliseconds: UInt64 = 1_000

    private unowned let process: NodeProcess
    private(set) var ends: [UInt64: ChannelEnd] = [:]
    private(set) var links: [SessionID: Link] = [:]
    /// The dials under way, each with the entry that made the account's key of that time.
    private var dials: [UInt64: (dial: PeerDial<NetworkAddress>, fleetKey: Hash)] = [:]
    private let rooms: ProcessRooms

    init(_ process: NodeProcess) {
        self.process = process
        rooms = ProcessRooms(process)
    }

    private var node: SimulatedNode { process.node }
    private var simulation: Simulation { process.simulation }

    // MARK: From the network

    /// Handles a dial that led to a connection.
    func connected(_ connection: Connection, dial number: UInt64) throws {
        guard let (dial, fleetKey) = dials.removeValue(forKey: number) else {
            return simulation.network.hangUp(connection, side: 0)
        }
        do {
            let core = try ChannelCore(
                initiatorWith: dial.secret,
                staticKey: process.keys.agreementKey,
                localPayload: handshakePayload,
                agreement: node.agreement,
                version: dial.version,
                configuration: configuration,
                startedAt: process.monotonic,
                using: &node.random
            )
            let end = ChannelEnd(connection, side: 0, dial: number, fleetKey: fleetKey, core: core)
            end.stay = rooms.dialled(connection, under: dial.secret.purpose)
            begin(end)
            awaitMember(end)
            var events: [ChannelEvent] = []
            end.core.start(into: &events)
            try perform(events, on: end)
        } catch let error as ChannelError {
            throw Violation(invariant: 10, node: node.index, "no handshake: \(error)")
        }
    }

    /// Accepts an incoming connection.
    func accepted(_ connection: Connection) throws {
        let (isTaken, stay) = try rooms.admit(connection)
        guard isTaken else { return simulation.network.hangUp(connection, side: 1) }
        do {
            let core = try ChannelCore(
                responderWith: acceptedSecrets,
                staticKey: process.keys.agreementKey,
                localPayload: handshakePayload,
                agreement: node.agreement,
                configuration: configuration,
                startedAt: process.monotonic,
                using: &node.random
            )
            let key = process.fleet.order.present.entry
            let end = ChannelEnd(connection, side: 1, dial: nil, fleetKey: key, core: core)
            end.stay = stay
            begin(end)
            try (simulation.judge as? Judge)?.entered(end, on: node, in: simulation)
        } catch let error as ChannelError {
            throw Violation(invariant: 10, node: node.index, "no handshake: \(error)")
        }
    }

    /// Handles a failed dial.
    /// - Parameters:
    ///   - dial: The dial.
    ///   - obstacle: The cause; `nil` where the process has reached itself.
    /// - Throws: ``Violation``.
    func dialFailed(_ dial: UInt64, because obstacle: DialObstacle? = .silence) throws {
        dials[dial] = nil
        simulation.trace.note(.dialFailed, at: simulation.now, node: node.index)
        try process.step { $0.dialFailed(dial, because: obstacle, in: &$1) }
    }

    /// Handles bytes that arrived.
    func arrived(_ bytes: [UInt8], on connection: Connection, side: Int) throws {
        guard let end = ends[ChannelEnd.id(of: connection, side: side)], !end.isOver else { return }
        var events: [ChannelEvent] = []
        end.core.received(bytes, into: &events)
        guard try rooms.knock(end) else { return }
        try perform(events, on: end)
    }

    /// Handles the end of a connection by the other side.
    func ended(_ connection: Connection, side: Int) throws {
        guard let end = ends[ChannelEnd.id(of: connection, side: side)], !end.isOver else { return }
        var events: [ChannelEvent] = []
        end.core.ended(into: &events)
        try perform(events, on: end)
    }

    private func begin(_ end: ChannelEnd) {
        ends[end.id] = end
        simulation.schedule(after: ChannelLimits.handshakeDeadlineMilliseconds, for: node) { node in
            guard end.handshake == nil, !end.isOver else { return }
            try node.process?.channels.finish(end, .endedInHandshake(messagesReceived: 0))
        }
    }

    /// The keys under which connections are accepted.
    private var acceptedSecrets: [ChannelSecret] {
        [process.fleet.secret] + process.account.recoverySecrets + process.core.joiningSecrets
            + process.core.sharingSecrets + process.fleet.earlierSecrets
    }

    private var handshakePayload: [UInt8] {
        HandshakePayload(
            certificate: process.account.certificate.signed.encoded,
            account: process.log.account,
            accountHeads: process.log.announcedHeads,
            boot: process.boot,
            wallMilliseconds: node.wallMilliseconds,
            listenPort: 1
        ).encoded
    }

    private var configuration: ChannelConfiguration {
        ChannelConfiguration(
            messageByteCountMax: Self.messageByteCountMax,
            waitsForVerdict: simulation.options.hasRooms,
            messageRevision: PeerMessage.revision
        )
    }

    // MARK: The channel's events

    /// Performs the events of a channel, until one of them ends it.
    func perform(_ events: [ChannelEvent], on end: ChannelEnd) throws {
        for event in events where !end.isOver {
            switch event {
            case .send(let bytes):
                simulation.network.send(bytes, on: end.connection, side: end.side)
            case .established(let result):
                guard try rooms.prove(end) else { return }
                simulation.statistics.handshakes += 1
                simulation.trace.note(.established, at: simulation.now, node: node.index, end.connection.id)
                end.handshake = result
                if end.side == 0 { scheduleRenewal(end) }
                try opened(end, result)
            case .message(let message):
                try received(message, on: end.id)
            case .closed(let reason):
                try finish(end, reason)
            case .ignore:
                try finish(end, .endedInHandshake(messagesReceived: 0))
            }
        }
    }

    /// Checks that a device of the account that is called by the present key completes its
    /// handshake soon, whatever else connects.
    private func awaitMember(_ end: ChannelEnd) {
        guard simulation.awaitsMembers, let other = simulation.network.node(at: end.connection.address),
            other != node.index
        else { return }
        let target = simulation.nodes[other]
        guard target.accountID == process.log.account,
            target.process?.fleet.order.present.entry == end.fleetKey
        else { return }
        let life = target.life
        simulation.schedule(after: Self.awaitedMilliseconds, for: node) { [unowned simulation] node in
            guard simulation.awaitsMembers, target.life == life else { return }
            try (simulation.judge as? Judge)?.awaited(end, on: node, in: simulation)
        }
    }

    /// Schedules the end of a session at its greatest age, by the side that made it.
    private func scheduleRenewal(_ end: ChannelEnd) {
        simulation.schedule(after: ChannelLimits.ageMillisecondsMax, for: node) { node in
            guard !end.isOver, let process = node.process else { return }
            guard end.core.shouldRenew(now: process.monotonic) else {
                process.channels.scheduleRenewal(end)
                return
            }
            process.channels.close(end, CloseCode(rawValue: 64))
        }
    }

    /// Handles the end of a channel.
    func finish(_ end: ChannelEnd, _ reason: CloseReason) throws {
        guard !end.isOver else { return }
        end.isOver = true
        rooms.leave(end)
        ends[end.id] = nil
        simulation.network.hangUp(end.connection, side: end.side)
        simulation.trace.note(.closed, at: simulation.now, node: node.index, end.connection.id, "\(reason)")
        guard end.handshake != nil else {
            guard let dial = end.dial else { return }
            let isIgnored = reason == .endedInHandshake(messagesReceived: 0)
            return try dialFailed(dial, because: reason == .ownKey ? nil : isIgnored ? .ignored : .silence)
        }
        links[end.id] = nil
        let isRefused = reason == .peer(CloseCode(rawValue: SyncCloseCode.refused.rawValue))
        try process.step { $0.closed(end.id, isRefused: isRefused, in: &$1) }
    }

    /// Closes a channel from this side: the goodbye is sent, and the end is reported a moment
    /// later, as from the event loop.
    func close(_ end: ChannelEnd, _ code: CloseCode) {
        guard !end.isOver else { return }
        var events: [ChannelEvent] = []
        end.core.close(code, into: &events)
        for case .send(let bytes) in events { simulation.network.send(bytes, on: end.connection, side: end.side) }
        simulation.network.hangUp(end.connection, side: end.side)
        simulation.schedule(after: 0, for: node) { try $0.process?.channels.finish(end, .local(code)) }
    }

    // MARK: For the core

    /// Dials an address.
    func dial(_ dial: PeerDial<NetworkAddress>) {
        dials[dial.id] = (dial, process.fleet.order.present.entry)
        simulation.network.dial(from: node, to: dial.address, dial: dial.id)
    }

    /// Sends a message.
    func send(_ message: PeerMessage, on id: SessionID) throws {
        guard let end = ends[id], !end.isOver else { return }
        if end.isOfJoining { try node.countJoiningStep() }
        if case .custodyAnswer(let answer) = message {
            try simulation.judge.promised(answer, by: node, in: simulation)
        }
        if case .retentionAnswer(let answer) = message, let link = links[id] {
            try simulation.judge.states(answer, to: link, by: node, in: simulation)
        }
        if let link = links[id], link.account != process.log.account {
            try simulation.judge.told(message, to: link.device, of: link.account, by: node, in: simulation)
        }
        do {
            for part in try PeerMessage.parts(of: message.encoded) { try send(part, to: end) }
        } catch {
            close(end, CloseCode(rawValue: 64))
        }
    }

    /// Sends bytes that need not be a message; nothing where the session is over.
    func send(garbage bytes: [UInt8], on id: SessionID) {
        guard let end = links[id]?.end else { return }
        // Where the channel is over there is no peer left.
        try? send(bytes, to: end)
    }

    private func send(_ bytes: [UInt8], to end: ChannelEnd) throws {
        var sealed: [UInt8] = []
        try end.core.send(message: bytes, into: &sealed)
        simulation.network.send(sealed, on: end.connection, side: end.side)
    }

    /// Ends a channel with a coarse code.
    func close(_ id: SessionID, _ code: SyncCloseCode) throws {
        guard let end = ends[id] else { return }
        if end.isOfJoining { try node.countJoiningStep() }
        close(end, CloseCode(rawValue: code.rawValue))
    }

    /// Moves a connection to the room of its peer, once the peer is known.
    func settle(_ id: SessionID, in room: DoorRoom) throws {
        if let end = ends[id] { try rooms.settle(end, in: room) }
    }

    // MARK: Sessions

    private func opened(_ end: ChannelEnd, _ result: HandshakeResult) throws {
        let channel = PeerChannel<NetworkAddress>(
            id: end.id,
            dial: end.dial,
            handshake: result,
            origin: "\(end.connection.address)",
            address: { [unowned simulation] _ in
                let connection = end.connection
                guard end.side == 1 else { return connection.address.host > 0 ? connection.address : nil }
                // A program that is no machine of the simulation has no address.
                return connection.nodes[0] < 0 ? nil : simulation.network.address(of: connection.nodes[0])
            }
        )
        try process.step { $0.opened(channel, in: &$1) }
    }

    /// Handles a session that begins.
    func opened(_ opening: SessionOpening) throws {
        guard let end = ends[opening.session] else { return }
        links[opening.session] = Link(end: end, device: opening.device, account: opening.account)
        try requireHighestVersion(end)
        if opening.account == process.log.account, end.handshake?.purpose == .fleet {
            try simulation.judge.opened(with: opening.device, by: end.fleetKey, on: node, in: simulation)
        }
    }

    /// Requires that no fault on the way has downgraded the version of the channel.
    private func requireHighestVersion(_ end: ChannelEnd) throws {
        let index = end.connection.nodes[1 - end.side]
        // Another process may run there by now.
        guard let version = end.handshake?.version, index >= 0,
            simulation.nodes[index].life == end.connection.lives[1 - end.side]
        else { return }
        let known = min(node.agreement.newest, simulation.nodes[index].agreement.newest)
        guard version != known else { return }
        throw Violation(
            .channelVersion,
            time: simulation.now,
            node: node.index,
            "a session speaks version \(version) where both programs know \(known)"
        )
    }

    private func received(_ bytes: [UInt8], on id: UInt64) throws {
        let tag = bytes.first ?? 0
        let index = min(Int(tag), 31)
        simulation.statistics.messages += 1
        simulation.statistics.messagesByTag[index] += 1
        simulation.statistics.byteCountByTag[index] += bytes.count
        simulation.trace.note(.message, at: simulation.now, node: node.index, UInt64(tag))
        try process.step { $0.received(bytes, on: id, in: &$1) }
    }
}
