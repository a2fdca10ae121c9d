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
            pins: sessions.directory.pins
        )
        var orders: [SessionEffect] = []
        sessions.opened(
            PeerGate.Channel(connection),
            dial: connection.dial,
            gate: gate,
            routes: routes,
            at: dependencies.clock.monotonic(),
            random: &random,
            address: { connection.reachableAddress(listenPort: $0.listenPort) },
            into: &orders
        )
        perform(orders, about: connection, isSearch: isSearch, into: &effects)
        lookForTroubles()
    }

    /// Performs the orders of the sessions.
    /// - Parameters:
    ///   - orders: The orders.
    ///   - connection: The channel that they are about where it is no session (yet).
    ///   - isSearch: Whether that channel was made in a search.
    ///   - effects: The effects of the core are added here.
    func perform(
        _ orders: [SessionEffect],
        about connection: (any PeerConnection)? = nil,
        isSearch: Bool = false,
        into effects: inout [SyncEffect]
    ) {
        for order in orders {
            switch order {
            case .feed(let input): feed(input, into: &effects)
            case .close(let id, let code):
                let channel = links[id]?.connection ?? (connection?.id == id ? connection : nil)
                channel?.close(code: code.rawValue)
            case .join(_, let certificate, let payload):
                guard let connection else { continue }
                pairingOpened(connection, certificate: certificate, payload: payload, isSearch: isSearch)
            case .invite(_, let certificate, let payload):
                guard let connection else { continue }
                invitationOpened(connection, certificate: certificate, payload: payload)
            case .write(let change): write(change)
            case .heardClock(let wall, let device, let account, let time):
                dependencies.replica.clocks.heard(wall, from: device, of: account, at: time)
            case .report(let report): tell(report, about: connection, into: &effects)
            }
        }
    }

    private func tell(
        _ report: SessionReport,
        about connection: (any PeerConnection)?,
        into effects: inout [SyncEffect]
    ) {
        switch report {
        case .noCertificate:
            guard let connection else { return }
            dependencies.logger.notice("peer presented no valid certificate", metadata: address(connection))
            violated("no valid certificate from \(connection.address)", on: nil, into: &effects)
        case .otherAccount:
            guard let connection else { return }
            dependencies.logger.notice(
                "peer is from an account that is not accepted here",
                metadata: address(connection)
            )
        case .downgraded(_, let device, let expected, let isMember):
            guard let connection else { return }
            tellDowngraded(connection, of: device, expected: expected, isMember: isMember)
        case .versionRestored: tellDowngrades()
        case .opened(let opening, let payload):
            guard let connection else { return }
            memberOpened(connection, opening, payload: payload)
        case .closing(let id):
            tell(activities.closed(id, at: dependencies.clock.monotonic()))
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
        case .ourselves: sessions.directory.connected(dial: dial, device: dependencies.identity.device)
        case .ignored:
            sessions.directory.dialIgnored(
                dial,
                at: dependencies.clock.monotonic(),
                random: &random,
                alternatives: { routes.alternatives(to: $0, at: $1) }
            )
        case .silence, .refused, .noRoute, .unreachable:
            let now = dependencies.clock.monotonic()
            sessions.directory.dialFailed(dial, because: DialObstacle(failure), at: now, random: &random)
        }
        lookForTroubles()
    }

    private func memberOpened(
        _ connection: any PeerConnection,
        _ opening: SessionOpening,
        payload: HandshakePayload
    ) {
        let clock = dependencies.clock
        links[connection.id] = Link(
            connection: connection,
            device: opening.device,
            account: opening.account,
            listenPort: payload.listenPort
        )
        tell(
            activities.opened(
                connection.id,
                peer: opening.device,
                account: opening.account,
                at: clock.monotonic(),
                wall: clock.wall()
            )
        )
        dependencies.logger.info(
            "session opened",
            metadata: [
                "peer.id": "\(opening.device.shortText)", "peer.address": "\(connection.address)",
                "initiator": "\(opening.isInitiator)",
                "channel.version": "\(connection.handshake.version.rawValue)",
            ]
        )
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
            if sessions[id] == nil { connection(id)?.close(code: SyncCloseCode.violation.rawValue) }
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
        guard sessions.isOpen(id) else { return }
        feed(.received(id, message, byteCount: bytes.count), into: &effects)
    }

    func closed(_ id: ConnectionID, reason: CloseReason, into effects: inout [SyncEffect]) {
        pairingClosed(id)
        _ = joins.remove(id)
        guard let link = links.removeValue(forKey: id) else { return }
        var orders: [SessionEffect] = []
        sessions.closed(
            id,
            isRefused: reason == .peer(CloseCode(rawValue: SyncCloseCode.refused.rawValue)),
            routes: routes,
            at: dependencies.clock.monotonic(),
            random: &random,
            shares: { core.shares(with: $0, of: $1) },
            into: &orders
        )
        perform(orders, into: &effects)
        dependencies.logger.info(
            "session closed",
            metadata: ["peer.id": "\(link.device.shortText)", "reason": "\(reason.words)"]
        )
    }

    func close(_ id: ConnectionID, _ code: SyncCloseCode, into effects: inout [SyncEffect]) {
        var orders: [SessionEffect] = []
        sessions.close(id, code, into: &orders)
        perform(orders, into: &effects)
    }

    /// Refuses a channel that is no session.
    func refuse(_ connection: any PeerConnection, _ code: SyncCloseCode) {
        var orders: [SessionEffect] = []
        sessions.refuse(
            connection.id,
            dial: connection.dial,
            code,
            routes: routes,
            at: dependencies.clock.monotonic(),
            random: &random,
            into: &orders
        )
        var effects: [SyncEffect] = []
        perform(orders, about: connection, into: &effects)
    }

    /// Notes the meetings with devices that are known as members now.
    func rememberMembers(into effects: inout [SyncEffect]) {
        var orders: [SessionEffect] = []
        sessions.rememberMembers(routes: routes, at: dependencies.clock.monotonic(), into: &orders)
        perform(orders, into: &effects)
    }

    /// Takes a measurement of a member's clock, which also shows that the member is still connected.
    func measured(
        _ device: DeviceID,
        roundTripMilliseconds: Double,
        skewMilliseconds: Int64,
        into effects: inout [SyncEffect]
    ) {
        let clock = dependencies.clock
        for (id, link) in links where link.device == device {
            links[id]?.roundTripMilliseconds = roundTripMilliseconds
            links[id]?.skewMilliseconds = skewMilliseconds
        }
        var orders: [SessionEffect] = []
        sessions.measured(
            device,
            skewMilliseconds: skewMilliseconds,
            at: clock.monotonic(),
            wall: clock.wall(),
            into: &orders
        )
        perform(orders, into: &effects)
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

extension PeerConnection {
    /// The address at which the device at the other end can be called: where this side dialled it, or where it came from at the port
    /// that it states; `nil` for one that states none.
    func reachableAddress(listenPort: UInt16) -> PeerAddress? {
        var address = address
        if dial == nil { address.port = listenPort }
        return address.port > 0 ? address : nil
    }
}
