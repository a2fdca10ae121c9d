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
    /// The virtual mDNS delivers no announcement to a clock that is further off than an hour, so
    /// the tags of all hours are that of the first.
    let tag: [UInt8]
    /// The shared zones by whose keys it can be recognised.
    let zones: [ZoneID]

    /// An announcement of a process.
    init(of process: NodeProcess, as instance: String, at address: NetworkAddress) {
        instanceName = instance
        self.address = address
        nonce = Array(process.boot.prefix(DiscoveryTag.nonceByteCount))
        tag = Self.tag(recognisedBy: process, nonce)
        zones = process.core.rendezvous.order.announced
    }

    /// A false announcement, which a process recognises as one of its own account.
    init(deceiving process: NodeProcess, as instance: String, at address: NetworkAddress) {
        instanceName = instance
        self.address = address
        nonce = [UInt8](repeating: 0, count: DiscoveryTag.nonceByteCount)
        tag = Self.tag(recognisedBy: process, nonce)
        zones = []
    }

    private static func tag(recognisedBy process: NodeProcess, _ nonce: [UInt8]) -> [UInt8] {
        DiscoveryTag.make(key: process.fleet.key.discoveryKey(), nonce: nonce, at: 0)
    }

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
