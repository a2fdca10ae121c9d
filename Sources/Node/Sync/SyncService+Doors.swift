import Identity
import Session
import Sync
import Wire

// The keys by which peers are called, and may call.
extension SyncService {
    /// Takes the new rights in a zone.
    func rightsChanged(_ authority: ZoneAuthority, into effects: inout [SyncEffect]) {
        feed(.rightsChanged(authority), into: &effects)
        // A peer that was refused since it had lost its right may have one again.
        if doors.hasNewReader(authority) { directory.forgetRefusals() }
        guard doors.update(authority, own: dependencies.identity.account) else { return }
        doorsChanged()
    }

    /// Stops synchronising a zone.
    func forgot(_ zone: ZoneID, into effects: inout [SyncEffect]) {
        feed(.zoneForgotten(zone), into: &effects)
        doors.remove(zone, own: dependencies.identity.account)
        doorsChanged()
    }

    /// Forgets the zones of the former account, the accounts that it had invited or blocked, and the offers to it.
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

    /// Dials these addresses too, whichever devices are there.
    func configure(_ addresses: [PeerAddress]) {
        for address in addresses where !configuredAddresses.contains(address) { configuredAddresses.append(address) }
        configureRoutes()
    }

    /// An address does not name its device: it is tried by each key that may reach another account.
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

    /// Returns other keys to try at an address where no device answers to one.
    /// - Parameters:
    ///   - route: The address, and the key that reached no device.
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

    /// Returns the keys of other zones by which accounts may be reached at an address where one reached no member of
    /// its zone.
    func alternatives(to route: PeerRoute, reaching accounts: [AccountID]) -> [PeerRoute] {
        guard case .zone = route.key else { return [] }
        return accounts.flatMap { doors.order.zones(reaching: $0) }
            .map { PeerRoute(address: route.address, key: .zone($0)) }
    }

    /// The other accounts that claim a device as theirs.
    private func accounts(of device: DeviceID) -> [AccountID] {
        dependencies.identity.contacts.states.filter { $0.value.activeDevices.contains(device) }.keys.sorted()
    }

    /// Returns the keys by which to call a device that was met before; none for one that shares nothing with this
    /// account.
    ///
    /// Any account can claim that a device is its own, so no account's claim keeps another's from being tried.
    func keys(reaching device: DeviceID) -> [PeerRoute.Key] {
        if dependencies.identity.standing(of: device) == .active { return [.account] }
        return accounts(of: device).compactMap { key(reaching: device, of: $0) }
    }

    /// Returns the key by which a device of an account is called; `nil` for one that shares nothing with this
    /// account.
    func key(reaching device: DeviceID, of account: AccountID) -> PeerRoute.Key? {
        let identity = dependencies.identity
        if account == identity.account { return identity.standing(of: device) == .active ? .account : nil }
        guard identity.contacts[account]?.state.activeDevices.contains(device) == true else { return nil }
        return doors.order.zones(reaching: account).first.map { .zone($0) }
    }

    /// The addresses to try in a search.
    var searchAddresses: [PeerAddress] {
        var seen: Set<PeerAddress> = []
        let all = sightings.all.map(\.address) + directory.searchAddresses.map(\.address)
        return Array(all.filter { seen.insert($0).inserted }.prefix(256))
    }
}
