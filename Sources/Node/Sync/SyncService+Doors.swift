import Identity
import Session
import Sync
import Wire

// By which keys peers are called, and may call.
extension SyncService {
    /// Takes who may do what in a zone from now on.
    func rightsChanged(_ authority: ZoneAuthority, into effects: inout [SyncEffect]) {
        feed(.rightsChanged(authority), into: &effects)
        // Whoever was refused since it had lost its right may have one again.
        if doors.hasNewMember(authority) { directory.forgetRefusals() }
        guard doors.update(authority, own: dependencies.identity.account) else { return }
        doorsChanged()
    }

    /// Does not keep a zone in step any more.
    func forgot(_ zone: ZoneID, into effects: inout [SyncEffect]) {
        feed(.zoneForgotten(zone), into: &effects)
        doors.remove(zone, own: dependencies.identity.account)
        doorsChanged()
    }

    /// Forgets the zones of an account that was left, whom it had invited or blocked, and what it was offered.
    func closeDoors() {
        doors = ZoneDoors()
        bookFacts = BookFacts()
        offers = [:]
        doorsChanged()
        bookChanged()
    }

    private func doorsChanged() {
        acceptSharingSecrets()
        configureRoutes()
        reconsiderSightings()
    }

    /// Dials these addresses too, whoever is there.
    func configure(_ addresses: [PeerAddress]) {
        for address in addresses where !configuredAddresses.contains(address) { configuredAddresses.append(address) }
        configureRoutes()
    }

    /// An address does not say whose it is: it is tried by each key that reaches somebody else.
    private func configureRoutes() {
        let keys = [PeerRoute.Key.account] + doors.order.covering.map { .zone($0) }
        directory.setStatic(
            configuredAddresses.flatMap { address in keys.map { PeerRoute(address: address, key: $0) } }
        )
    }

    func secret(of key: PeerRoute.Key) -> ChannelSecret? {
        switch key {
        case .account: dependencies.identity.fleetSecret
        case .earlier(let entry):
            dependencies.identity.fleetDoors.earlierSecret(entry)
        case .zone(let zone): doors.secret(zone)
        }
    }

    /// Other keys by which somebody may answer at an address where nobody does to one.
    /// - Parameters:
    ///   - route: The address, and the key that led to nobody.
    ///   - device: The device that was met there.
    /// - Returns: Ways to the same address; none for a retired key.
    func alternatives(to route: PeerRoute, at device: DeviceID?) -> [PeerRoute] {
        switch route.key {
        case .account:
            dependencies.identity.fleetDoors.earlierEntries.map { PeerRoute(address: route.address, key: .earlier($0)) }
        case .zone: alternatives(to: route, reaching: device.map(accounts(of:)) ?? [])
        default: []
        }
    }

    /// The keys of other zones by which accounts may be reached at an address where one led to nobody who takes part.
    func alternatives(to route: PeerRoute, reaching accounts: [AccountID]) -> [PeerRoute] {
        guard case .zone = route.key else { return [] }
        return accounts.flatMap { doors.order.zones(reaching: $0) }
            .map { PeerRoute(address: route.address, key: .zone($0)) }
    }

    /// The accounts of others that say of a device that it is theirs.
    private func accounts(of device: DeviceID) -> [AccountID] {
        dependencies.identity.contacts.states.filter { $0.value.activeDevices.contains(device) }.keys.sorted()
    }

    /// By which keys a device may be called that was met before; none for one that nothing is shared with.
    ///
    /// Any account can say of a device that it is its own, so nobody's word keeps another's from being tried.
    func keys(reaching device: DeviceID) -> [PeerRoute.Key] {
        if dependencies.identity.standing(of: device) == .active { return [.account] }
        return accounts(of: device).compactMap { key(reaching: device, of: $0) }
    }

    /// By which key a device of an account is called; `nil` for one that nothing is shared with.
    func key(reaching device: DeviceID, of account: AccountID) -> PeerRoute.Key? {
        let identity = dependencies.identity
        if account == identity.account { return identity.standing(of: device) == .active ? .account : nil }
        guard identity.contacts[account]?.state.activeDevices.contains(device) == true else { return nil }
        return doors.order.zones(reaching: account).first.map { .zone($0) }
    }

    /// Where anybody may be, for a search.
    var searchAddresses: [PeerAddress] {
        var seen: Set<PeerAddress> = []
        let all = sightings.all.map(\.address) + directory.searchAddresses.map(\.address)
        return Array(all.filter { seen.insert($0).inserted }.prefix(256))
    }
}
