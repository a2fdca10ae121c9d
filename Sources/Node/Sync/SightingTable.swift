/// All services seen through mDNS, recognised or not: where a search for a ticket looks.
///
/// At most ``countMax`` instances are kept, the oldest dropped first, so that a flood of lies cannot grow memory.
struct SightingTable: Sendable {
    /// Instances kept; far more than a network of one household, lab or office has.
    static let countMax = 256
    /// Addresses kept for one instance.
    static let addressCountMax = 8

    private var addresses: [String: [PeerAddress]] = [:]
    private var order: [String] = []

    /// Notes a sighting.
    mutating func insert(_ sighting: ServiceSighting) {
        let name = sighting.instanceName
        if addresses[name] == nil {
            order.append(name)
            if order.count > Self.countMax { addresses[order.removeFirst()] = nil }
        }
        var known = addresses[name] ?? []
        guard !known.contains(sighting.address) else { return }
        known.insert(sighting.address, at: 0)
        addresses[name] = Array(known.prefix(Self.addressCountMax))
    }

    /// Forgets an instance.
    mutating func remove(_ instanceName: String) {
        guard addresses.removeValue(forKey: instanceName) != nil else { return }
        order.removeAll { $0 == instanceName }
    }

    /// Whether the instance is on the network now.
    func contains(_ instanceName: String) -> Bool { addresses[instanceName] != nil }

    /// All addresses, newest instance first.
    var all: [PeerAddress] { order.reversed().flatMap { addresses[$0] ?? [] } }
}
