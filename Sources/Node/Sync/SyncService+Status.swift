import KairanInterface
import Identity
import Peering
import Session
import Sync
import Wire

// The status of peers for people and programs.
extension SyncService {
    /// The devices with an active session.
    var connectedDevices: Set<DeviceID> { core.sync.connectedDevices }

    /// The number of devices with an active session.
    var connectedCount: Int { core.sync.connectedDevices.count }

    /// Dials these addresses too; ones that are known already change nothing.
    func add(peers: [PeerAddress]) {
        stepAside { $0.configure(peers, in: &$1) }
    }

    /// All other devices of the account, and those of other accounts that are connected, ordered by id.
    func peerStatuses() -> [PeerStatus] {
        let own = dependencies.identity.accountState
        // A removed device is still received for some seconds; that makes it no peer.
        let connected = links.filter { core.sync.isActive($0.key) }.values.map(\.device)
        let devices = Set(own.activeDevices).union(connected).subtracting([dependencies.identity.device])
        return devices.sorted().map { status(of: $0) }
    }

    /// The same, once each connected device that was silent for a while has answered a ping, or a second is over.
    ///
    /// A broken connection shows at once so, and this costs nothing while no caller asks.
    /// - Parameter silence: How long that while is, in milliseconds; 0 pings all.
    /// - Returns: As ``peerStatuses()``.
    func freshPeerStatuses(silence: UInt64) async -> [PeerStatus] {
        let now = dependencies.clock.monotonic()
        mailbox.put(.input(.presenceAsked(silence: silence)))
        await withCheckedContinuation { presence.add($0, silence: silence, since: now) }
        return peerStatuses()
    }

    /// Resumes the callers that wait for peers to answer, when all have or the time is over.
    func answerPresence() {
        guard presence.isAwaited else { return }
        let heard = links.keys.filter { core.sync.isActive($0) }.compactMap { core.sync.lastHeard(in: $0) }.min()
        presence.answer(oldest: heard, at: dependencies.clock.monotonic())
    }

    /// The neighbourhood as mDNS shows it, for the doctor.
    func neighbourhood() -> Examination.Neighbourhood {
        let statuses = peerStatuses()
        let unsighted = statuses.filter { peer in
            guard peer.state == .connected, peer.via == .lastKnown || peer.via == .inbound else { return false }
            return !core.sessions.directory.addresses(of: peer.device).contains { entry in
                guard case .instance(let name) = entry.source else { return false }
                return core.sightings.contains(name)
            }
        }
        return Examination.Neighbourhood(
            isUsed: discovery != nil,
            interfaces: interfaces,
            unsighted: unsighted.map { $0.name.isEmpty ? $0.device.shortText : $0.name }
        )
    }

    /// Notifies watchers of a device's present state.
    func publishPeer(_ device: DeviceID) {
        dependencies.hub.publish(.peer(status(of: device)))
    }

    /// Notifies watchers of peers that connected or left since the last notice.
    func tellConnected() {
        let connected = core.sync.connectedDevices
        guard connected != toldConnected else { return }
        for device in connected.symmetricDifference(toldConnected).sorted() { publishPeer(device) }
        toldConnected = connected
        mail.put(.connected(connected))
    }

    private func status(of device: DeviceID) -> PeerStatus {
        let link = links.first { $0.value.device == device && core.sessions.isOpen($0.key) }?.value
        let known = core.sessions.directory.addresses(of: device)
        let newest = known.first
        let seen = known.contains { entry in
            guard case .instance(let name) = entry.source else { return false }
            return core.sightings.contains(name)
        }
        let isConnected = link.map { core.sync.isActive($0.connection.id) } ?? false
        let unreached = isConnected ? nil : reachability.unreached[device]
        let own = dependencies.identity.accountState
        let contact = link.flatMap { dependencies.identity.contacts[$0.account]?.state }
        let entry = own.devices[device] ?? contact?.devices[device]
        return PeerStatus(
            device: device,
            account: link?.account ?? own.account,
            name: entry?.name ?? "",
            state: isConnected ? .connected : unreached != nil ? .unreachable : seen ? .reachable : .away,
            address: link?.connection.address.description ?? unreached?.address.description
                ?? newest?.address.address.description,
            via: unreached != nil ? .mdns : via(link, newest?.source, in: known),
            trouble: unreached.map { PeerTrouble($0, clock: dependencies.clock) },
            silenceMilliseconds: link.flatMap { core.sync.lastHeard(in: $0.connection.id) }
                .map { dependencies.clock.monotonic() &- $0 },
            roundTripMilliseconds: link?.roundTripMilliseconds,
            skewMilliseconds: link?.skewMilliseconds,
            role: entry?.role ?? .full,
            channelVersion: isConnected ? link?.connection.handshake.version : nil,
            pinnedVersion: core.sessions.directory.pins[device],
            program: isConnected ? link.flatMap { core.sync.program(in: $0.connection.id) } : nil
        )
    }

    private func via(
        _ link: Link?,
        _ newest: PeerDirectory<PeerRoute>.Source?,
        in known: [(source: PeerDirectory<PeerRoute>.Source, address: PeerRoute)]
    ) -> Peer.Source? {
        guard let link else { return newest.map(Self.via) }
        guard link.connection.dial != nil else { return .inbound }
        let used = known.filter { $0.address.address == link.connection.address }.map(\.source)
        // The most telling source of the address in use: a heard or configured address comes before a remembered one.
        let best = used.first {
            if case .remembered = $0 { return false }
            return true
        }
        return (best ?? used.first).map(Self.via) ?? .lastKnown
    }

    private static func via(_ source: PeerDirectory<PeerRoute>.Source) -> Peer.Source {
        switch source {
        case .instance: .mdns
        case .configured: .static
        case .remembered: .lastKnown
        }
    }
}
