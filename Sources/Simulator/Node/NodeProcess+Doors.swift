import Identity
import Session
import Sync
import Wire

// By which keys peers are called, and may call: what the daemon does with zones that are shared.
extension NodeProcess {
    /// What was heard of a process by mDNS.
    struct Sighting {
        var address: NetworkAddress
        var account: AccountID
        /// The shared zones by whose keys it can be recognised.
        var zones: [ZoneID]
    }

    /// Takes who may do what in a zone from now on.
    func rightsChanged(_ authority: ZoneAuthority) throws {
        try feed(.rightsChanged(authority))
        takeDoor(authority)
    }

    func takeDoor(_ authority: ZoneAuthority) {
        // Whoever was refused since it had lost its right may have one again.
        if doors.hasNewMember(authority) {
            directory.forgetRefusals()
            directoryChanged()
        }
        guard doors.update(authority, own: log.account) else { return }
        // Whoever was refused may be let in now.
        directory.forgetRefusals()
        configureRoutes()
        for (instance, sighting) in sightings.sorted(by: { $0.key < $1.key }) { recognise(instance, sighting) }
        simulation.discovery.repeatAnnouncement(node)
        directoryChanged()
    }

    /// An address does not say whose it is: it is tried by each key that reaches somebody else.
    func configureRoutes() {
        let keys = [Route.Key.account] + doors.order.covering.map { .zone($0) }
        directory.setStatic(staticAddresses.flatMap { address in keys.map { Route(address: address, key: $0) } })
    }

    func secret(of key: Route.Key) -> ChannelSecret? {
        switch key {
        case .account: secret
        case .zone(let zone): doors.secret(zone)
        }
    }

    /// By which key a device is called that was met before; `nil` for one that nothing is shared with.
    func key(reaching device: DeviceID) -> Route.Key? {
        if standing(of: device) == .active { return .account }
        let contact = contacts.sorted { $0.key < $1.key }.first { $0.value.state.activeDevices.contains(device) }
        return contact.flatMap { doors.order.zone(reaching: $0.key) }.map { .zone($0) }
    }

    // MARK: mDNS

    /// The zones by whose keys others are to recognise this process.
    var announcedZones: [ZoneID] { doors.order.announced }

    func sighted(_ instance: String, at address: NetworkAddress, account: AccountID, zones: [ZoneID]) {
        guard instance != instanceName else { return }
        let sighting = Sighting(address: address, account: account, zones: zones)
        if account != log.account || simulation.hasSeveralAccounts { sightings[instance] = sighting }
        recognise(instance, sighting)
    }

    private func recognise(_ instance: String, _ sighting: Sighting) {
        let key: Route.Key
        if sighting.account == log.account {
            key = .account
        } else if let zone = doors.zone(of: sighting.zones) {
            key = .zone(zone)
        } else {
            return
        }
        directory.sighted(instance: instance, address: Route(address: sighting.address, key: key))
        directoryChanged()
    }

    func withdrawn(_ instance: String) {
        sightings[instance] = nil
        directory.withdrawn(instance: instance)
        directoryChanged()
    }
}
