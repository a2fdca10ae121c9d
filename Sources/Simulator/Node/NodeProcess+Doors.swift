import Identity
import Session
import Sync
import Wire

// The keys by which peers are called and may call: the daemon's work for shared zones.
extension NodeProcess {
    /// A process as announced by mDNS.
    struct Sighting {
        var address: NetworkAddress
        var account: AccountID
        /// The entry that made the key by whose tag the account's devices recognise the process.
        var fleetKey: Hash
        /// The shared zones by whose keys it can be recognised.
        var zones: [ZoneID]
    }

    /// Takes over changed rights in a zone.
    func rightsChanged(_ authority: ZoneAuthority) throws {
        try feed(.rightsChanged(authority))
        takeDoor(authority)
    }

    func takeDoor(_ authority: ZoneAuthority) {
        // An account that was refused after losing its right may have one again.
        if doors.hasNewReader(authority) {
            directory.forgetRefusals()
            directoryChanged()
        }
        guard doors.update(authority, own: log.account) else { return }
        // A peer that was refused may be accepted now.
        directory.forgetRefusals()
        configureRoutes()
        for (instance, sighting) in sightings.sorted(by: { $0.key < $1.key }) { recognise(instance, sighting) }
        simulation.discovery.repeatAnnouncement(node)
        directoryChanged()
    }

    /// Configures the static addresses, which do not tell their device: each is tried with each key that reaches
    /// another account.
    func configureRoutes() {
        let keys = [Route.Key.account] + doors.order.covering.map { .zone($0) }
        directory.setStatic(staticAddresses.flatMap { address in keys.map { Route(address: address, key: $0) } })
    }

    func secret(of key: Route.Key) -> ChannelSecret? {
        switch key {
        case .account: fleet.present
        case .earlier(let entry): fleet.earlierSecret(entry)
        case .zone(let zone): doors.secret(zone)
        }
    }

    /// The key by which a known device is called; `nil` for one that shares nothing with this node.
    func key(reaching device: DeviceID) -> Route.Key? {
        if standing(of: device) == .active { return .account }
        let contact = contacts.sorted { $0.key < $1.key }.first { $0.value.state.activeDevices.contains(device) }
        return contact.flatMap { doors.order.zones(reaching: $0.key).first }.map { .zone($0) }
    }

    // MARK: mDNS

    /// The zones by whose keys peers can recognise this process.
    var announcedZones: [ZoneID] { doors.order.announced }

    func sighted(
        _ instance: String,
        at address: NetworkAddress,
        account: AccountID,
        fleetKey: Hash,
        zones: [ZoneID]
    ) {
        guard instance != instanceName else { return }
        let sighting = Sighting(address: address, account: account, fleetKey: fleetKey, zones: zones)
        let isKept = simulation.hasSeveralAccounts || simulation.options.hasAccountKeys
        if account != log.account || isKept { sightings[instance] = sighting }
        recognise(instance, sighting)
    }

    /// Evaluates all sightings again, after the keys have changed.
    func reconsiderSightings() {
        for (instance, sighting) in sightings.sorted(by: { $0.key < $1.key }) { recognise(instance, sighting) }
    }

    /// Other keys by which a device may answer at an address where none answers to one key.
    func alternatives(to route: Route, at device: DeviceID?) -> [Route] {
        switch route.key {
        case .account: return fleet.order.called.map { Route(address: route.address, key: .earlier($0.entry)) }
        case .zone:
            let accounts = contacts.filter { entry in device.map(entry.value.state.activeDevices.contains) ?? false }
            return alternatives(to: route, reaching: accounts.keys.sorted())
        case .earlier: return []
        }
    }

    /// The keys of other zones by which accounts may be reached at an address where one key led to no participant.
    func alternatives(to route: Route, reaching accounts: [AccountID]) -> [Route] {
        guard case .zone = route.key else { return [] }
        return accounts.flatMap { doors.order.zones(reaching: $0) }.map {
            Route(address: route.address, key: .zone($0))
        }
    }

    private func recognise(_ instance: String, _ sighting: Sighting) {
        let key: Route.Key
        if sighting.account == log.account, let known = ownKey(sighting.fleetKey) {
            key = known
        } else if let zone = doors.zone(of: sighting.zones) {
            key = .zone(zone)
        } else {
            return
        }
        // A process that has another key now is no longer called by the former one.
        if let former = sightedKeys.updateValue(key, forKey: instance), former != key {
            directory.withdrawn(instance: instance)
        }
        directory.sighted(instance: instance, address: Route(address: sighting.address, key: key))
        directoryChanged()
    }

    /// The key by which a device of the account is called, by the key that it announces; `nil` for an unknown one.
    private func ownKey(_ entry: Hash) -> Route.Key? {
        if entry == fleet.order.present.entry { return .account }
        return fleet.order.answered.contains { $0.entry == entry } ? .earlier(entry) : nil
    }

    func withdrawn(_ instance: String) {
        sightings[instance] = nil
        sightedKeys[instance] = nil
        directory.withdrawn(instance: instance)
        directoryChanged()
    }
}
