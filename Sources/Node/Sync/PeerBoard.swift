import Identity
import KairanInterface
import Peering
import Session
import Sync
import Wire

/// The sessions with peers as people and programs see them: who is connected, in sight or away, and how they were reached.
struct PeerBoard {
    /// A session as people see it.
    struct Link {
        let connection: any PeerConnection
        let device: DeviceID
        /// The account that the device belongs to.
        let account: AccountID
        var roundTripMilliseconds: Double?
        var skewMilliseconds: Int64?
        /// The port at which it claims to be reachable; 0 = none.
        let listenPort: UInt16
        /// Whether both sides were found to hold the same, once in this session.
        var isInStep = false

        /// The address at which it is tried whether the device can be connected to.
        ///
        /// Stated ports below 1,024 are not tried: on a shared address others may have them.
        var probedAddress: PeerAddress? {
            guard connection.dial != nil || listenPort >= 1_024 else { return nil }
            return connection.reachableAddress(listenPort: listenPort)
        }
    }

    /// The facts about a device that watchers learn from its account's log.
    private struct ToldDevice: Equatable {
        let name: String
        let role: DeviceRole

        init(_ entry: AccountState.DeviceEntry) { (name, role) = (entry.name, entry.role) }
    }

    typealias Core = SyncService.Core

    /// All channels, whatever they are for.
    var connections: [ConnectionID: any PeerConnection] = [:]
    /// The channels that are sessions.
    private(set) var links: [SessionID: Link] = [:]
    /// The devices that are in sight and not reached.
    private var reachability = Reachability()
    /// Other devices of the account as watchers know them.
    private var toldMembers: [DeviceID: ToldDevice] = [:]
    /// Devices of other accounts that were connected when their accounts' logs last changed.
    private var toldContacts: [DeviceID: ToldDevice] = [:]
    /// The devices that were last reported to watchers as connected.
    private var toldConnected: Set<DeviceID> = []
    private let identity: NodeIdentity
    private let clock: NodeClock
    private let hub: EventHub

    /// Makes a board without sessions, whose changes are published to watchers.
    init(identity: NodeIdentity, clock: NodeClock, hub: EventHub) {
        self.identity = identity
        self.clock = clock
        self.hub = hub
    }

    // MARK: Sessions

    /// Enters a session on a channel.
    /// - Returns: The session; `nil` for a channel that has ended.
    mutating func opened(_ opening: SessionOpening, listenPort: UInt16) -> Link? {
        guard let connection = connections[opening.session] else { return nil }
        let link = Link(
            connection: connection,
            device: opening.device,
            account: opening.account,
            listenPort: listenPort
        )
        links[connection.id] = link
        return link
    }

    /// Removes a channel that has ended.
    /// - Returns: The session on it, if it was one.
    mutating func closed(_ id: ConnectionID) -> Link? {
        connections[id] = nil
        guard let link = links.removeValue(forKey: id) else { return nil }
        if !links.values.contains(where: { $0.device == link.device }) { toldContacts[link.device] = nil }
        return link
    }

    /// Notes what a ping has measured.
    mutating func measured(_ peer: DeviceID, roundTrip: Double?, skew: Int64?) {
        for (id, link) in links where link.device == peer {
            links[id]?.roundTripMilliseconds = roundTrip
            links[id]?.skewMilliseconds = skew
        }
    }

    /// Notes that both sides hold the same.
    /// - Returns: The sessions in which they had not been found to.
    mutating func inStep(_ peer: DeviceID) -> [SessionID] {
        let found = links.filter { $0.value.device == peer && !$0.value.isInStep }.keys.sorted()
        for id in found { links[id]?.isInStep = true }
        return found
    }

    // MARK: Watchers

    /// Notifies watchers of a device's present state.
    func publish(_ device: DeviceID, _ core: Core) {
        hub.publish(.peer(status(of: device, core)))
    }

    /// Notifies watchers of the devices of an account that have a session.
    func publish(connectedOf account: AccountID, _ core: Core) {
        for (id, link) in links where link.account == account && core.sessions.isOpen(id) { publish(link.device, core) }
    }

    /// Notifies watchers of peers that connected or left since the last notice.
    /// - Returns: The devices with an active session; `nil` where nothing has changed.
    mutating func publishConnected(_ core: Core) -> Set<DeviceID>? {
        let connected = core.sync.connectedDevices
        guard connected != toldConnected else { return nil }
        for device in connected.symmetricDifference(toldConnected).sorted() { publish(device, core) }
        toldConnected = connected
        return connected
    }

    /// Notifies watchers of devices of the account that were added, removed, renamed, or given another role.
    /// - Returns: The other devices of the account.
    mutating func publishMembers(_ core: Core) -> Set<DeviceID> {
        let account = identity.accountState
        let active = Set(account.activeDevices).subtracting([identity.device])
        let members = account.devices.filter { active.contains($0.key) }.mapValues { ToldDevice($0) }
        for device in active.union(toldMembers.keys).sorted() where members[device] != toldMembers[device] {
            publish(device, core)
        }
        toldMembers = members
        return active
    }

    /// Notifies watchers of connected devices of another account that were renamed, or given another role.
    mutating func publishRenamed(of account: AccountID, _ core: Core) {
        let entries = identity.contacts[account]?.state.devices ?? [:]
        let connected = links.filter { $0.value.account == account && core.sync.isActive($0.key) }.map(\.value.device)
        for device in Set(connected).sorted() {
            guard let entry = entries[device], toldContacts[device] != ToldDevice(entry) else { continue }
            toldContacts[device] = ToldDevice(entry)
            publish(device, core)
        }
    }

    /// Has watchers look at all other devices of the account again.
    func publishMembersAgain(_ core: Core) {
        for device in toldMembers.keys.sorted() { publish(device, core) }
    }

    /// Looks for devices in sight that are not reached, after a dial has ended or a device has gone out of sight.
    mutating func lookForTroubles(_ core: Core, health: HealthBoard) {
        let instances = core.sessions.directory.troubledInstances
        let former = reachability
        reachability = instances.isEmpty ? Reachability() : reachability(of: instances, core)
        for device in Set(former.unreached.keys).symmetricDifference(reachability.unreached.keys).sorted() {
            publish(device, core)
        }
        if let warning = reachability.warning(at: clock.monotonic()) {
            health.set(warning)
        } else {
            health.clear(Reachability.code)
        }
    }

    private func reachability(of instances: [TroubledInstance<PeerRoute>], _ core: Core) -> Reachability {
        let own = identity.accountState
        let others = own.activeDevices.filter { $0 != identity.device }
        return Reachability(
            instances,
            members: others.map { device in
                let hosts = core.sessions.directory.addresses(of: device).map(\.address.address.host)
                return Reachability.Member(device: device, name: own.devices[device]?.name ?? "", hosts: Set(hosts))
            },
            connected: links.filter { core.sessions.isOpen($0.key) }.values.map {
                Reachability.Connected(device: $0.device, host: $0.connection.address.host, port: $0.listenPort)
            }
        )
    }

    // MARK: Statuses

    /// All other devices of the account, and those of other accounts that are connected, ordered by id.
    func statuses(_ core: Core) -> [PeerStatus] {
        // A removed device is still received for some seconds; that makes it no peer.
        let connected = links.filter { core.sync.isActive($0.key) }.values.map(\.device)
        let devices = Set(identity.accountState.activeDevices).union(connected).subtracting([identity.device])
        return devices.sorted().map { status(of: $0, core) }
    }

    /// The time at which the peer was heard that is silent for the longest; `nil` without an active session.
    func oldestHeard(_ core: Core) -> UInt64? {
        links.keys.filter { core.sync.isActive($0) }.compactMap { core.sync.lastHeard(in: $0) }.min()
    }

    /// The names of connected devices that mDNS does not show.
    func unsighted(_ core: Core) -> [String] {
        let peers = statuses(core).filter { peer in
            peer.state == .connected && (peer.via == .lastKnown || peer.via == .inbound)
                && !isSighted(peer.device, core)
        }
        return peers.map { $0.name.isEmpty ? $0.device.shortText : $0.name }
    }

    /// Whether connected devices can connect to this one, by their last answers.
    func reach(_ core: Core) -> [DeviceID: Examination.Reach] {
        let now = clock.monotonic()
        var answers: [DeviceID: Examination.Reach] = [:]
        for (id, link) in links where core.sessions.isOpen(id) {
            guard let outcome = core.sync.reach(in: id), let answeredAt = core.sync.reachAnsweredAt(in: id) else {
                continue
            }
            answers[link.device] = Examination.Reach(outcome, ageMilliseconds: now - min(answeredAt, now))
        }
        return answers
    }

    private func isSighted(_ device: DeviceID, _ core: Core) -> Bool {
        core.sessions.directory.addresses(of: device).contains { entry in
            guard case .instance(let name) = entry.source else { return false }
            return core.sightings.contains(name)
        }
    }

    private func status(of device: DeviceID, _ core: Core) -> PeerStatus {
        let link = links.first { $0.value.device == device && core.sessions.isOpen($0.key) }?.value
        let known = core.sessions.directory.addresses(of: device)
        let newest = known.first
        let isConnected = link.map { core.sync.isActive($0.connection.id) } ?? false
        let unreached = isConnected ? nil : reachability.unreached[device]
        let own = identity.accountState
        let contact = link.flatMap { identity.contacts[$0.account]?.state }
        let entry = own.devices[device] ?? contact?.devices[device]
        let isInSight = isSighted(device, core)
        return PeerStatus(
            device: device,
            account: link?.account ?? own.account,
            name: entry?.name ?? "",
            state: isConnected ? .connected : unreached != nil ? .unreachable : isInSight ? .reachable : .away,
            address: link?.connection.address.description ?? unreached?.address.description
                ?? newest?.address.address.description,
            via: unreached != nil ? .mdns : Self.via(link, newest?.source, in: known),
            trouble: unreached.map { PeerTrouble($0, clock: clock) },
            silenceMilliseconds: link.flatMap { core.sync.lastHeard(in: $0.connection.id) }
                .map { clock.monotonic() &- $0 },
            roundTripMilliseconds: link?.roundTripMilliseconds,
            skewMilliseconds: link?.skewMilliseconds,
            role: entry?.role ?? .full,
            channelVersion: isConnected ? link?.connection.handshake.version : nil,
            pinnedVersion: core.sessions.directory.pins[device],
            program: isConnected ? link.flatMap { core.sync.program(in: $0.connection.id) } : nil
        )
    }

    private static func via(
        _ link: Link?,
        _ newest: PeerDirectory<PeerRoute>.Source?,
        in known: [(source: PeerDirectory<PeerRoute>.Source, address: PeerRoute)]
    ) -> Peer.Source? {
        guard let link else { return newest.map(via) }
        guard link.connection.dial != nil else { return .inbound }
        let used = known.filter { $0.address.address == link.connection.address }.map(\.source)
        // The most telling source of the address in use: a heard or configured address comes before a remembered one.
        let best = used.first {
            if case .remembered = $0 { return false }
            return true
        }
        return (best ?? used.first).map(via) ?? .lastKnown
    }

    private static func via(_ source: PeerDirectory<PeerRoute>.Source) -> Peer.Source {
        switch source {
        case .instance: .mdns
        case .configured: .static
        case .remembered: .lastKnown
        }
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
