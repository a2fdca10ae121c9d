import Identity
import Peering
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
        if rendezvous.hasNewReader(authority) {
            sessions.directory.forgetRefusals()
            directoryChanged()
        }
        guard rendezvous.update(authority, own: log.account) else { return }
        // A peer that was refused may be accepted now.
        sessions.directory.forgetRefusals()
        configureRoutes()
        for (instance, sighting) in sightings.sorted(by: { $0.key < $1.key }) { recognise(instance, sighting) }
        simulation.discovery.repeatAnnouncement(node)
        directoryChanged()
    }

    func configureRoutes() {
        sessions.directory.setStatic(routes.routes(to: staticAddresses))
    }

    /// The ways to peers, by the present keys and logs.
    var routes: RoutePlan {
        RoutePlan(fleet: fleet, zones: rendezvous, account: log.state, contacts: contacts.mapValues(\.state))
    }

    // MARK: mDNS

    /// The zones by whose keys peers can recognise this process.
    var announcedZones: [ZoneID] { rendezvous.order.announced }

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

    private func recognise(_ instance: String, _ sighting: Sighting) {
        let key: PeerKey
        if sighting.account == log.account, let known = routes.key(announced: sighting.fleetKey) {
            key = known
        } else if let zone = rendezvous.zone(of: sighting.zones) {
            key = .zone(zone)
        } else {
            return
        }
        // A process that has another key now is no longer called by the former one.
        if let former = sightedKeys.updateValue(key, forKey: instance), former != key {
            sessions.directory.withdrawn(instance: instance)
        }
        sessions.directory.sighted(instance: instance, address: PeerRoute(address: sighting.address, key: key))
        directoryChanged()
    }

    func withdrawn(_ instance: String) {
        sightings[instance] = nil
        sightedKeys[instance] = nil
        sessions.directory.withdrawn(instance: instance)
        directoryChanged()
    }
}

extension RendezvousKeys {
    /// The first zone that this device shares with a peer that announces the given zones.
    ///
    /// The simulator's announcements name zones, where those of mDNS have a tag for each.
    fileprivate func zone(of announced: [ZoneID]) -> ZoneID? {
        let announced = Set(announced)
        return order.all.first { announced.contains($0) }
    }
}
