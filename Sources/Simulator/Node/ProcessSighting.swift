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
    /// The nonce of the process's tags.
    let nonce: [UInt8]
    /// The tag by which the account's devices recognise the process.
    ///
    /// The virtual mDNS delivers no announcement to a clock that is further off than an hour, so the tags of all hours are that of the first.
    let tag: [UInt8]
    /// The shared zones by whose keys it can be recognised.
    let zones: [ZoneID]

    /// The only network.
    package var interfaceName: String { "virtual" }

    /// Returns the entry of the key by which the process is recognised.
    package func fleetEntry(recognisedBy keys: FleetChannelKeys, at wall: UInt64) -> Hash? {
        keys.entry(recognising: tag, nonce: nonce, at: 0)
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

    /// The nonce of its tags.
    var tagNonce: [UInt8] { Array(boot.prefix(DiscoveryTag.nonceByteCount)) }

    /// The tag by which the account's devices recognise a process that announces this nonce.
    func fleetTag(nonce: [UInt8]) -> [UInt8] {
        DiscoveryTag.make(key: fleet.key.discoveryKey(), nonce: nonce, at: 0)
    }

    func sighted(_ sighting: ProcessSighting) throws {
        guard sighting.instanceName != instanceName else { return }
        try step { $0.sighted(sighting, in: &$1) }
    }

    func withdrawn(_ instance: String) {
        core.withdrawn(instance, interfaceName: "virtual")
    }
}
