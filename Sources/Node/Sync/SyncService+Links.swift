import Identity
import Logging
import Peering
import Session
import Sync
import Wire

// Channels: the device at the other end, whether the channel may stay, and its messages.
extension SyncService {
    func opened(_ connection: any PeerConnection, into effects: inout [SyncEffect]) {
        let isSearch = connection.dial.map { searchDials.removeValue(forKey: $0) != nil } ?? false
        let gate = dependencies.identity.gate(
            parties: rendezvous.order.parties,
            open: rendezvous.order.open,
            blocked: blockedAccounts,
            newest: newestVersion,
            pins: directory.pins
        )
        switch gate.decide(PeerGate.Channel(connection)) {
        case .violation:
            dependencies.logger.notice("peer presented no valid certificate", metadata: address(connection))
            violated("no valid certificate from \(connection.address)", on: nil, into: &effects)
            refuse(connection, .violation)
        case .ourselves:
            directory.connected(dial: connection.dial, device: dependencies.identity.device)
            connection.close(code: SyncCloseCode.goodbye.rawValue)
        case .downgraded(let device, let account, let expected):
            refuseDowngrade(connection, of: device, account, expected: expected)
        case .newcomer(let certificate, let payload):
            pairingOpened(connection, certificate: certificate, payload: payload, isSearch: isSearch)
        case .invitee(let certificate, let payload):
            invitationOpened(connection, certificate: certificate, payload: payload)
        case .otherAccount(let account):
            dependencies.logger.notice(
                "peer is from an account that is not accepted here",
                metadata: address(connection)
            )
            refuse(connection, .refused, of: account)
        case .member(let opening, let payload):
            memberOpened(connection, opening, payload: payload, into: &effects)
        }
    }

    /// A dial ended without a channel.
    func dialFailed(_ dial: DialID, _ failure: DialFailure) {
        if let search = searchDials.removeValue(forKey: dial) {
            // The device there may know the first version only.
            guard failure == .ignored, search.version > .classical else { return }
            dialForSearch(search.address, search.secret, .classical)
            return
        }
        switch failure {
        case .ourselves: directory.connected(dial: dial, device: dependencies.identity.device)
        case .ignored:
            directory.dialIgnored(
                dial,
                at: dependencies.clock.monotonic(),
                random: &random,
                alternatives: { routes.alternatives(to: $0, at: $1) }
            )
        case .silence, .refused, .noRoute, .unreachable:
            let now = dependencies.clock.monotonic()
            directory.dialFailed(dial, because: DialObstacle(failure), at: now, random: &random)
        }
        lookForTroubles()
    }

    private func memberOpened(
        _ connection: any PeerConnection,
        _ opening: SessionOpening,
        payload: HandshakePayload,
        into effects: inout [SyncEffect]
    ) {
        let (device, isInitiator) = (opening.device, opening.isInitiator)
        directory.connected(dial: connection.dial, device: device)
        lookForTroubles()
        let entry = SessionArbiter.Entry(
            connection: connection.id,
            boot: payload.boot,
            isInitiator: isInitiator,
            openedAt: dependencies.clock.monotonic()
        )
        switch arbiter.opened(entry, device: device) {
        case .refuse:
            connection.close(code: SyncCloseCode.duplicate.rawValue)
            return
        case .replace(let older):
            links[older]?.isClosing = true
            links[older]?.connection.close(code: SyncCloseCode.duplicate.rawValue)
            feed(.closed(older), into: &effects)
            tell(activities.closed(older, at: dependencies.clock.monotonic()))
        case .keep:
            break
        }
        links[connection.id] = Link(
            connection: connection,
            device: device,
            account: opening.account,
            listenPort: payload.listenPort,
            wallMilliseconds: payload.wallMilliseconds,
            openedAt: dependencies.clock.monotonic()
        )
        let clock = dependencies.clock
        tell(
            activities.opened(
                connection.id,
                peer: device,
                account: opening.account,
                at: clock.monotonic(),
                wall: clock.wall()
            )
        )
        feed(.opened(opening), into: &effects)
        dependencies.logger.info(
            "session opened",
            metadata: [
                "peer.id": "\(device.shortText)", "peer.address": "\(connection.address)",
                "initiator": "\(isInitiator)", "channel.version": "\(connection.handshake.version.rawValue)",
            ]
        )
        if opening.isByEarlierKey {
            // It is there, and is called by the present key from now on.
            directory.forgetAddresses(of: device) { if case .earlier = $0.key { true } else { false } }
        }
        noteUndisturbed(device)
        rememberIfMember(connection.id)
        enterIfNewer(payload, of: opening)
    }

    /// A device of this account that may not write in its log has made itself another certificate: it is entered for it.
    private func enterIfNewer(_ payload: HandshakePayload, of opening: SessionOpening) {
        let identity = dependencies.identity
        guard opening.account == identity.account, opening.standing == .active else { return }
        do {
            guard try identity.enter(VerifiedCertificate(bytes: payload.certificate)) else { return }
            dependencies.logger.info(
                "a certificate was entered in the account log",
                metadata: ["peer.id": "\(opening.device.shortText)"]
            )
            mailbox.put(.accountChanged)
        } catch {
            // It is shown again in the next session.
            dependencies.logger.warning(
                "a certificate was not entered in the account log",
                metadata: ["peer.id": "\(opening.device.shortText)", "error": "\(error)"]
            )
        }
    }

    func received(_ bytes: [UInt8], on id: ConnectionID, into effects: inout [SyncEffect]) {
        let message: PeerMessage
        do {
            message = try PeerMessage(decoding: bytes)
        } catch {
            dependencies.logger.notice("malformed message", metadata: ["error": "\(error)"])
            violated("malformed message: \(error)", on: id, into: &effects)
            close(id, .violation, into: &effects)
            return
        }
        if pairing.isPairing(id) {
            pairingReceived(message, on: id)
            return
        }
        if let link = joins.links[id] {
            invitationReceived(message, on: link)
            return
        }
        guard let link = links[id], !link.isClosing else { return }
        feed(.received(id, message, byteCount: bytes.count), into: &effects)
    }

    func closed(_ id: ConnectionID, reason: CloseReason, into effects: inout [SyncEffect]) {
        pairingClosed(id)
        _ = joins.remove(id)
        guard let link = links.removeValue(forKey: id) else { return }
        if link.meeting.ends(at: dependencies.clock.monotonic()) { noteMet(link.device, at: nil) }
        feed(.closed(id), into: &effects)
        tell(activities.closed(id, at: dependencies.clock.monotonic()))
        if arbiter.closed(id, device: link.device) {
            let now = dependencies.clock.monotonic()
            directory.disconnected(device: link.device, at: now, random: &random)
            if reason == .peer(CloseCode(rawValue: SyncCloseCode.refused.rawValue)) {
                directory.turnedAway(by: link.device) { routes.alternatives(to: $0, reaching: [link.account]) }
            }
            // Nothing is shared any more: the device is dialled again when that changes, or after minutes.
            if !core.shares(with: link.device, of: link.account) {
                directory.refused(device: link.device, at: now, random: &random)
            }
        }
        dependencies.logger.info(
            "session closed",
            metadata: ["peer.id": "\(link.device.shortText)", "reason": "\(reason.words)"]
        )
    }

    func close(_ id: ConnectionID, _ code: SyncCloseCode, into effects: inout [SyncEffect]) {
        links[id]?.isClosing = true
        links[id]?.connection.close(code: code.rawValue)
        feed(.closed(id), into: &effects)
    }

    func refuse(_ connection: any PeerConnection, _ code: SyncCloseCode, of account: AccountID? = nil) {
        if let dial = connection.dial {
            directory.refused(
                dial,
                at: dependencies.clock.monotonic(),
                random: &random,
                alternatives: { routes.alternatives(to: $0, reaching: account.map { [$0] } ?? []) }
            )
        }
        connection.close(code: code.rawValue)
    }

    /// Keeps where a member can be reached, for the day on which mDNS does not work.
    func rememberIfMember(_ id: ConnectionID) {
        guard let link = links[id], let key = routes.key(reaching: link.device, of: link.account),
            links[id]?.meeting.begin(at: dependencies.clock.monotonic()) == true
        else { return }
        let device = link.device
        pin(device, at: link.connection.handshake.version)
        dependencies.replica.clocks.heard(link.wallMilliseconds, from: device, of: link.account, at: link.openedAt)
        var address = link.connection.address
        if link.connection.dial == nil { address.port = link.listenPort }
        if address.port > 0 { directory.remember(device, addresses: [PeerRoute(address: address, key: key)]) }
        noteMet(device, at: address.port > 0 ? address.description : nil)
    }

    /// Notes that a member is there now.
    func noteMet(_ device: DeviceID, at address: String?) {
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try PeerMemory(replica.committer).met(device, at: address, in: &transaction)
        } completion: { [logger = dependencies.logger] result in
            guard case .failure(let error) = result else { return }
            logger.warning("the time of contact with a peer was not stored", metadata: ["error": "\(error)"])
        }
    }

    /// Takes a measurement of a member's clock, which also shows that the member is still connected.
    func measured(_ device: DeviceID, roundTripMilliseconds: Double, skewMilliseconds: Int64) {
        let (now, wall) = (dependencies.clock.monotonic(), dependencies.clock.wall())
        for (id, link) in links where link.device == device {
            links[id]?.roundTripMilliseconds = roundTripMilliseconds
            links[id]?.skewMilliseconds = skewMilliseconds
            guard link.meeting.hasBegun else { continue }
            let theirs = Int64(clamping: wall).addingReportingOverflow(skewMilliseconds)
            let clocks = dependencies.replica.clocks
            clocks.heard(UInt64(clamping: theirs.partialValue), from: device, of: link.account, at: now)
            if links[id]?.meeting.goesOn(at: now) == true { noteMet(device, at: nil) }
        }
    }

    private func address(_ connection: any PeerConnection) -> Logger.Metadata {
        ["peer.address": "\(connection.address)"]
    }
}

extension PeerGate.Channel {
    /// The channel of a connection.
    fileprivate init(_ connection: any PeerConnection) {
        let handshake = connection.handshake
        self.init(
            session: connection.id,
            payload: handshake.remotePayload,
            staticKey: handshake.remoteStatic,
            binding: handshake.handshakeHash,
            isInitiator: connection.dial != nil,
            door: PeerGate.Door(handshake.purpose),
            version: handshake.version,
            remoteNewest: handshake.remoteNewest,
            remoteRevision: handshake.remoteRevision
        )
    }
}
