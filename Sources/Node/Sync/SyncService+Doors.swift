import Identity
import Peering
import Sync
import Wire

// The keys by which peers are called, and may call.
extension SyncService {
    /// Takes the new rights in a zone.
    func rightsChanged(_ authority: ZoneAuthority, into effects: inout [SyncEffect]) {
        feed(.rightsChanged(authority), into: &effects)
        // A peer that was refused since it had lost its right may have one again.
        if rendezvous.hasNewReader(authority) { sessions.directory.forgetRefusals() }
        guard rendezvous.update(authority, own: dependencies.identity.account) else { return }
        doorsChanged()
    }

    /// Stops synchronising a zone.
    func forgot(_ zone: ZoneID, into effects: inout [SyncEffect]) {
        feed(.zoneForgotten(zone), into: &effects)
        rendezvous.remove(zone, own: dependencies.identity.account)
        doorsChanged()
    }

    /// Forgets the zones of the former account, the accounts that it had invited or blocked, and the offers to it.
    func closeDoors() {
        rendezvous = RendezvousKeys()
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

    private func configureRoutes() {
        sessions.directory.setStatic(routes.routes(to: configuredAddresses))
    }

    /// The ways to peers, by the present keys and logs.
    var routes: RoutePlan {
        let identity = dependencies.identity
        return RoutePlan(
            fleet: identity.fleetKeys,
            zones: rendezvous,
            account: identity.accountState,
            contacts: identity.contacts.states
        )
    }

    /// The addresses to try in a search.
    var searchAddresses: [PeerAddress] {
        var seen: Set<PeerAddress> = []
        let all = sightings.all.map(\.address) + sessions.directory.searchAddresses.map(\.address)
        return Array(all.filter { seen.insert($0).inserted }.prefix(256))
    }
}
