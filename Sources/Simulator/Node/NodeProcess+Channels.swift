import Identity
import Peering
import Session
import Sync
import Wire

// Channels: the production channel over virtual connections, the peers at their other ends, and their messages.
extension NodeProcess {
    /// The longest message in either direction; a run is the longest there is.
    private static let messageByteCountMax = 20 << 20

    // MARK: From the network

    /// Handles a dial that led to a connection.
    func connected(_ connection: Connection, dial: UInt64) throws {
        let search = joiner.dials[dial].flatMap { found in joiner.secret.map { ($0, found.version) } }
        let call = dialKeys.removeValue(forKey: dial)
            .flatMap { call in routes.secret(of: call.key).map { ($0, call.version) } }
        guard let (secret, version) = search ?? call else {
            simulation.network.hangUp(connection, side: 0)
            dialFailed(dial)
            return
        }
        do {
            let core = try ChannelCore(
                initiatorWith: secret,
                staticKey: keys.agreementKey,
                localPayload: handshakePayload,
                agreement: node.agreement,
                version: version,
                configuration: configuration,
                startedAt: monotonic,
                using: &node.random
            )
            let end = ChannelEnd(connection, side: 0, dial: dial, fleetKey: fleet.order.present.entry, core: core)
            end.stay = dialled(connection, under: secret.purpose)
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
        let (isTaken, stay) = try admit(connection)
        guard isTaken else { return simulation.network.hangUp(connection, side: 1) }
        do {
            let core = try ChannelCore(
                responderWith: acceptedSecrets,
                staticKey: keys.agreementKey,
                localPayload: handshakePayload,
                agreement: node.agreement,
                configuration: configuration,
                startedAt: monotonic,
                using: &node.random
            )
            let key = fleet.order.present.entry
            let end = ChannelEnd(connection, side: 1, dial: nil, fleetKey: key, core: core)
            end.stay = stay
            begin(end)
            try (simulation.judge as? Judge)?.entered(end, on: node, in: simulation)
        } catch let error as ChannelError {
            throw Violation(invariant: 10, node: node.index, "no handshake: \(error)")
        }
    }

    /// Handles a failed dial, possibly to a peer that was there and did not answer.
    func dialFailed(_ dial: UInt64, isIgnored: Bool = false) {
        dialKeys[dial] = nil
        if searchDialFailed(dial, isIgnored: isIgnored) { return }
        simulation.trace.note(.dialFailed, at: simulation.now, node: node.index)
        if isIgnored {
            sessions.directory.dialIgnored(dial, at: monotonic, random: &node.random) {
                routes.alternatives(to: $0, at: $1)
            }
        } else {
            sessions.directory.dialFailed(dial, at: monotonic, random: &node.random)
        }
        directoryChanged()
    }

    /// Handles bytes that arrived.
    func arrived(_ bytes: [UInt8], on connection: Connection, side: Int) throws {
        guard let end = ends[ChannelEnd.id(of: connection, side: side)], !end.isOver else { return }
        var events: [ChannelEvent] = []
        end.core.received(bytes, into: &events)
        guard try knock(end) else { return }
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
            try node.process?.finish(end, .endedInHandshake(messagesReceived: 0))
        }
    }

    private var handshakePayload: [UInt8] {
        HandshakePayload(
            certificate: certificate,
            account: log.account,
            accountHeads: log.announcedHeads,
            boot: boot,
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

    func perform(_ events: [ChannelEvent], on end: ChannelEnd) throws {
        for event in events where !end.isOver {
            switch event {
            case .send(let bytes):
                simulation.network.send(bytes, on: end.connection, side: end.side)
            case .established(let result):
                guard try prove(end) else { return }
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

    /// Checks that a device of the account that is called by the present key completes its handshake soon, whatever
    /// else connects.
    private func awaitMember(_ end: ChannelEnd) {
        guard simulation.awaitsMembers, let other = simulation.network.node(at: end.connection.address),
            other != node.index
        else { return }
        let target = simulation.nodes[other]
        guard target.accountID == log.account, target.process?.fleet.order.present.entry == end.fleetKey else { return }
        let life = target.life
        simulation.schedule(after: Self.awaitedMilliseconds, for: node) { [unowned simulation] node in
            guard simulation.awaitsMembers, target.life == life else { return }
            try (simulation.judge as? Judge)?.awaited(end, on: node, in: simulation)
        }
    }

    /// The longest time that such a handshake may take, in milliseconds.
    private static let awaitedMilliseconds: UInt64 = 1_000

    /// Schedules the end of a session at its greatest age, by the side that made it.
    private func scheduleRenewal(_ end: ChannelEnd) {
        simulation.schedule(after: ChannelLimits.ageMillisecondsMax, for: node) { node in
            guard !end.isOver, let process = node.process else { return }
            guard end.core.shouldRenew(now: process.monotonic) else {
                process.scheduleRenewal(end)
                return
            }
            process.close(end, CloseCode(rawValue: 64))
        }
    }

    /// Handles the end of a channel.
    func finish(_ end: ChannelEnd, _ reason: CloseReason) throws {
        guard !end.isOver else { return }
        end.isOver = true
        leave(end)
        ends[end.id] = nil
        simulation.network.hangUp(end.connection, side: end.side)
        simulation.trace.note(.closed, at: simulation.now, node: node.index, end.connection.id, "\(reason)")
        guard end.handshake != nil else {
            guard let dial = end.dial else { return }
            if reason == .ownKey {
                if joiner.dials.removeValue(forKey: dial) != nil { return }
                sessions.directory.connected(dial: dial, device: device)
                directoryChanged()
            } else {
                dialFailed(dial, isIgnored: reason == .endedInHandshake(messagesReceived: 0))
            }
            return
        }
        try closed(end.id, reason)
    }

    /// Closes a channel from this side: the goodbye is sent, and the end is reported a moment later, as from the
    /// event loop.
    func close(_ end: ChannelEnd, _ code: CloseCode) {
        guard !end.isOver else { return }
        var events: [ChannelEvent] = []
        end.core.close(code, into: &events)
        for case .send(let bytes) in events { simulation.network.send(bytes, on: end.connection, side: end.side) }
        simulation.network.hangUp(end.connection, side: end.side)
        simulation.schedule(after: 0, for: node) { try $0.process?.finish(end, .local(code)) }
    }

    func send(_ message: PeerMessage, on id: SessionID) throws {
        guard sessions.isOpen(id), let link = links[id], !link.end.isOver else { return }
        if case .custodyAnswer(let answer) = message {
            try simulation.judge.promised(answer, by: node, in: simulation)
        }
        if link.account != log.account {
            try simulation.judge.told(message, to: link.device, of: link.account, by: node, in: simulation)
        }
        send(message, to: link.end)
    }

    func send(_ message: PeerMessage, to end: ChannelEnd) {
        do {
            for part in try PeerMessage.parts(of: message.encoded) {
                var bytes: [UInt8] = []
                try end.core.send(message: part, into: &bytes)
                simulation.network.send(bytes, on: end.connection, side: end.side)
            }
        } catch {
            close(end, CloseCode(rawValue: 64))
        }
    }

    // MARK: Sessions

    private func opened(_ end: ChannelEnd, _ result: HandshakeResult) throws {
        directoryChanged()
        let channel = PeerGate.Channel(
            session: end.id,
            payload: result.remotePayload,
            staticKey: result.remoteStatic,
            binding: result.handshakeHash,
            isInitiator: end.side == 0,
            door: PeerGate.Door(result.purpose),
            version: result.version,
            remoteNewest: result.remoteNewest,
            remoteRevision: result.remoteRevision
        )
        let gate = PeerGate(
            device: device,
            log: log,
            contacts: contacts,
            parties: rendezvous.order.parties,
            open: rendezvous.order.open,
            blocked: blocked,
            newest: node.agreement.newest,
            pins: sessions.directory.pins
        )
        if case .member(let opening, _) = gate.decide(channel) {
            try requireHighestVersion(end)
            if opening.account == log.account, end.handshake?.purpose == .fleet {
                try simulation.judge.opened(with: opening.device, by: end.fleetKey, on: node, in: simulation)
            }
        }
        var orders: [SessionEffect] = []
        sessions.opened(
            channel,
            dial: end.dial,
            gate: gate,
            routes: routes,
            at: monotonic,
            random: &node.random,
            address: { [unowned simulation] _ in
                let connection = end.connection
                guard end.side == 1 else { return connection.address.host > 0 ? connection.address : nil }
                // A program that is no machine of the simulation has no address.
                return connection.nodes[0] < 0 ? nil : simulation.network.address(of: connection.nodes[0])
            },
            into: &orders
        )
        var effects: [SyncEffect] = []
        try perform(orders, about: end, into: &effects)
        try perform(&effects)
    }

    /// Performs the orders of the sessions, as in production.
    private func perform(
        _ orders: [SessionEffect],
        about end: ChannelEnd? = nil,
        into effects: inout [SyncEffect]
    ) throws {
        for order in orders {
            switch order {
            case .feed(let input): handle(input, into: &effects)
            case .close(let id, let code):
                let channel = links[id]?.end ?? (end?.id == id ? end : nil)
                if let channel { close(channel, CloseCode(rawValue: code.rawValue)) }
            case .join(_, let certificate, let payload):
                if let end { try joiningOpened(end, certificate, payload) }
            case .invite:
                // Accounts are invited by the workload itself.
                if let end { close(end, CloseCode(rawValue: SyncCloseCode.violation.rawValue)) }
            case .write(let change): try write(change)
            case .heardClock(let wall, let device, let account, let time):
                clockWatch.heard(wall, from: device, of: account, at: time)
            case .report(.opened(let opening, _)):
                guard let end else { continue }
                links[opening.session] = Link(end: end, device: opening.device, account: opening.account)
            case .report: break
            }
        }
    }

    /// Performs a change of the sessions, with the effects that follow.
    func changeSessions(
        _ body: (inout PeerSessions<NetworkAddress>, inout [SessionEffect]) -> Void,
        into effects: inout [SyncEffect]
    ) throws {
        var orders: [SessionEffect] = []
        body(&sessions, &orders)
        try perform(orders, into: &effects)
        directoryChanged()
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
        let message: PeerMessage
        do {
            message = try PeerMessage(decoding: bytes)
        } catch {
            if sessions[id] == nil, let end = ends[id] {
                close(end, CloseCode(rawValue: SyncCloseCode.violation.rawValue))
            }
            var effects: [SyncEffect] = []
            try close(id, .violation, into: &effects)
            try perform(&effects)
            return
        }
        simulation.statistics.messages += 1
        simulation.statistics.messagesByTag[min(Int(message.tag), 31)] += 1
        if joiner.desk.isJoining(on: id) {
            simulation.trace.note(.message, at: simulation.now, node: node.index, UInt64(message.tag))
            return try joiningReceived(message, on: id)
        }
        guard sessions.isOpen(id) else { return }
        simulation.trace.note(.message, at: simulation.now, node: node.index, UInt64(message.tag))
        try feed(.received(id, message, byteCount: bytes.count))
    }

    private func closed(_ id: UInt64, _ reason: CloseReason) throws {
        try joiningClosed(id)
        guard links.removeValue(forKey: id) != nil else { return }
        var effects: [SyncEffect] = []
        try changeSessions(
            { sessions, orders in
                sessions.closed(
                    id,
                    isRefused: reason == .peer(CloseCode(rawValue: SyncCloseCode.refused.rawValue)),
                    routes: routes,
                    at: monotonic,
                    random: &node.random,
                    shares: { core.shares(with: $0, of: $1) },
                    into: &orders
                )
            },
            into: &effects
        )
        try perform(&effects)
    }

    func close(_ id: SessionID, _ code: SyncCloseCode, into effects: inout [SyncEffect]) throws {
        try changeSessions({ $0.close(id, code, into: &$1) }, into: &effects)
    }

    /// Closes the channel of a session that the core has ended.
    func closeLink(_ id: SessionID, _ code: SyncCloseCode) {
        guard let link = links[id] else { return }
        sessions.closing(id)
        close(link.end, CloseCode(rawValue: code.rawValue))
    }

    /// Sends a goodbye to all peers, at the end of the process.
    func sayGoodbye() throws {
        var effects: [SyncEffect] = []
        try changeSessions({ $0.sayGoodbye(at: monotonic, into: &$1) }, into: &effects)
    }

    /// Notes the meetings with devices that are known as members now.
    func rememberMembers(into effects: inout [SyncEffect]) throws {
        try changeSessions({ $0.rememberMembers(routes: routes, at: monotonic, into: &$1) }, into: &effects)
    }
}
