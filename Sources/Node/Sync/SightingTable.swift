/// All services seen through mDNS, recognised or not, among which a search for a ticket looks for its device.
///
/// At most ``countMax`` instances are kept, the oldest dropped first, so that a flood of lies cannot grow memory.
struct SightingTable: Sendable {
    /// Instances kept; far more than a network of one household, lab or office has.
    static let countMax = 256
    /// Addresses kept for one instance.
    static let addressCountMax = 8

    private var places: [String: [ServiceSighting]] = [:]
    private var order: [String] = []

    /// Notes a sighting.
    mutating func insert(_ sighting: ServiceSighting) {
        let name = sighting.instanceName
        if places[name] == nil {
            order.append(name)
            if order.count > Self.countMax { places[order.removeFirst()] = nil }
        }
        var known = places[name] ?? []
        // Its attributes may have changed.
        known.removeAll { $0.address == sighting.address }
        known.insert(sighting, at: 0)
        places[name] = Array(known.prefix(Self.addressCountMax))
    }

    /// Forgets where an instance was on one interface.
    ///
    /// - Parameters:
    ///   - instanceName: The instance.
    ///   - interfaceName: The interface on which it said goodbye or expired.
    /// - Returns: Whether it is gone from all interfaces now.
    mutating func remove(_ instanceName: String, interfaceName: String) -> Bool {
        let left = (places[instanceName] ?? []).filter { $0.interfaceName != interfaceName }
        guard left.isEmpty else {
            places[instanceName] = left
            return false
        }
        places[instanceName] = nil
        order.removeAll { $0 == instanceName }
        return true
    }

    /// Whether the instance is on the network now.
    func contains(_ instanceName: String) -> Bool { places[instanceName] != nil }

    /// All that is in sight, newest instance first.
    var all: [ServiceSighting] { order.reversed().flatMap { places[$0] ?? [] } }
}
