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
            directory.dialIgnored(dial, at: monotonic, random: &node.random) { routes.alternatives(to: $0, at: $1) }
        } else {
            directory.dialFailed(dial, at: monotonic, random: &node.random)
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
                directory.connected(dial: dial, device: device)
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
        guard let link = links[id], !link.isClosing, !link.end.isOver else { return }
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
            pins: directory.pins
        )
        switch gate.decide(channel) {
        case .downgraded:
            if let dial = end.dial { directory.dialFailed(dial, at: monotonic, random: &node.random) }
            close(end, CloseCode(rawValue: SyncCloseCode.refused.rawValue))
        case .newcomer(let certificate, let payload):
            try joiningOpened(end, certificate, payload)
        case .violation, .invitee:
            refuse(end, .violation)
        case .ourselves:
            directory.connected(dial: end.dial, device: device)
            close(end, CloseCode(rawValue: SyncCloseCode.goodbye.rawValue))
        case .otherAccount(let account):
            refuse(end, .refused, of: account)
        case .member(let opening, let payload):
            try memberOpened(end, opening, payload)
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

    private func memberOpened(_ end: ChannelEnd, _ opening: SessionOpening, _ payload: HandshakePayload) throws {
        try requireHighestVersion(end)
        let (id, other) = (opening.session, opening.device)
        if opening.account == log.account, end.handshake?.purpose == .fleet {
            try simulation.judge.opened(with: other, by: end.fleetKey, on: node, in: simulation)
        }
        directory.connected(dial: end.dial, device: other)
        let entry = SessionArbiter.Entry(
            connection: id,
            boot: payload.boot,
            isInitiator: opening.isInitiator,
            openedAt: monotonic
        )
        var effects: [SyncEffect] = []
        switch arbiter.opened(entry, device: other) {
        case .refuse:
            close(end, CloseCode(rawValue: SyncCloseCode.duplicate.rawValue))
            return
        case .replace(let older):
            closeLink(older, .duplicate)
            handle(.closed(older), into: &effects)
        case .keep:
            break
        }
        links[id] = Link(
            end: end,
            device: other,
            account: opening.account,
            wallMilliseconds: payload.wallMilliseconds,
            openedAt: monotonic
        )
        handle(.opened(opening), into: &effects)
        if opening.isByEarlierKey {
            // The device is there, and is called by the present key from now on.
            directory.forgetAddresses(of: other) { if case .earlier = $0.key { true } else { false } }
        }
        rememberIfMember(id)
        try perform(&effects)
    }

    private func received(_ bytes: [UInt8], on id: UInt64) throws {
        let message: PeerMessage
        do {
            message = try PeerMessage(decoding: bytes)
        } catch {
            var effects: [SyncEffect] = []
            close(id, .violation, into: &effects)
            try perform(&effects)
            return
        }
        simulation.statistics.messages += 1
        simulation.statistics.messagesByTag[min(Int(message.tag), 31)] += 1
        if joiner.desk.isJoining(on: id) {
            simulation.trace.note(.message, at: simulation.now, node: node.index, UInt64(message.tag))
            return try joiningReceived(message, on: id)
        }
        guard let link = links[id], !link.isClosing else { return }
        simulation.trace.note(.message, at: simulation.now, node: node.index, UInt64(message.tag))
        try feed(.received(id, message, byteCount: bytes.count))
    }

    private func closed(_ id: UInt64, _ reason: CloseReason) throws {
        try joiningClosed(id)
        guard let link = links.removeValue(forKey: id) else { return }
        var effects: [SyncEffect] = []
        handle(.closed(id), into: &effects)
        if arbiter.closed(id, device: link.device) {
            directory.disconnected(device: link.device, at: monotonic, random: &node.random)
            if reason == .peer(CloseCode(rawValue: SyncCloseCode.refused.rawValue)) {
                directory.turnedAway(by: link.device) { routes.alternatives(to: $0, reaching: [link.account]) }
            }
            // Nothing is shared any more: the device is dialled again when that changes, or after minutes.
            if !core.shares(with: link.device, of: link.account) {
                directory.refused(device: link.device, at: monotonic, random: &node.random)
            }
            directoryChanged()
        }
        try perform(&effects)
    }

    func close(_ id: SessionID, _ code: SyncCloseCode, into effects: inout [SyncEffect]) {
        closeLink(id, code)
        handle(.closed(id), into: &effects)
    }

    func closeLink(_ id: SessionID, _ code: SyncCloseCode) {
        guard let link = links[id] else { return }
        links[id]?.isClosing = true
        close(link.end, CloseCode(rawValue: code.rawValue))
    }

    private func refuse(_ end: ChannelEnd, _ code: SyncCloseCode, of account: AccountID? = nil) {
        if let dial = end.dial {
            directory.refused(dial, at: monotonic, random: &node.random) {
                routes.alternatives(to: $0, reaching: account.map { [$0] } ?? [])
            }
        }
        close(end, CloseCode(rawValue: code.rawValue))
    }

    /// Sends a goodbye to all peers, at the end of the process.
    func sayGoodbye() {
        for id in links.keys.sorted() { closeLink(id, .goodbye) }
    }

    /// Remembers the address of a member, in case mDNS does not work later.
    func rememberIfMember(_ id: SessionID) {
        guard let link = links[id], !link.isRemembered, let key = routes.key(reaching: link.device, of: link.account)
        else { return }
        links[id]?.isRemembered = true
        if let version = link.end.handshake?.version, directory.pin(link.device, at: version) {
            enqueue(
                CommitJob { process, transaction in
                    try PeerMemory(process.committer()).spoke(version, with: link.device, in: &transaction)
                    return CommitNotice()
                }
            )
        }
        clockWatch.heard(link.wallMilliseconds, from: link.device, of: link.account, at: link.openedAt)
        let connection = link.end.connection
        let address =
            link.end.side == 0 ? connection.address : simulation.network.address(of: connection.nodes[0])
        guard address.host > 0 else { return }
        directory.remember(link.device, addresses: [PeerRoute(address: address, key: key)])
        let text = address.description
        enqueue(
            CommitJob { process, transaction in
                try PeerMemory(process.committer()).met(link.device, at: text, in: &transaction)
                return CommitNotice()
            }
        )
    }
}
