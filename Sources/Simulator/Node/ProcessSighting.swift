import Identity
package import Peering
import Sync
package import Wire

/// A process as announced by mDNS: the facts that stand for the tags of its announcement.
package struct ProcessSighting: PeerSighting {
    /// The name of the instance.
    package let instanceName: String
    /// The address.
    package let address: NetworkAddress
    /// The entry that made the key by whose tag the account's devices recognise the process.
    let fleetKey: Hash
    /// The shared zones by whose keys it can be recognised.
    let zones: [ZoneID]

    /// The only network.
    package var interfaceName: String { "virtual" }

    /// Returns the entry of its key, if that is among the keys that this device tries.
    package func fleetEntry(recognisedBy keys: FleetChannelKeys, at wall: UInt64) -> Hash? {
        ([keys.order.present] + keys.order.answered).contains { $0.entry == fleetKey } ? fleetKey : nil
    }

    /// Returns the first zone that this device shares with the process.
    package func zone(recognisedBy keys: RendezvousKeys, at wall: UInt64) -> ZoneID? {
        let announced = Set(zones)
        return keys.order.all.first { announced.contains($0) }
    }
}

extension NodeProcess {
    /// The zones by whose keys peers can recognise this process.
    var announcedZones: [ZoneID] { core.rendezvous.order.announced }

    func sighted(_ sighting: ProcessSighting) throws {
        guard sighting.instanceName != instanceName else { return }
        try step { $0.sighted(sighting, in: &$1) }
    }

    func withdrawn(_ instance: String) {
        core.withdrawn(instance, interfaceName: "virtual")
    }
}
