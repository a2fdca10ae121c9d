/// All instances in sight, recognised or not, among which a search looks for its device.
///
/// At most ``countMax`` instances are kept, the oldest dropped first, so that a flood of false announcements cannot grow memory.
package struct Sightings<Sighting: PeerSighting>: Sendable {
    /// Instances that are kept; far more than a network of one household, lab or office has.
    package static var countMax: Int { 256 }
    /// Addresses that are kept for one instance.
    package static var addressCountMax: Int { 8 }

    private var places: [String: [Sighting]] = [:]
    private var order: [String] = []
    /// The keys by which recognised instances are called.
    private var keys: [String: PeerKey] = [:]

    /// Starts with nothing in sight.
    package init() {}

    /// All that is in sight, newest instance first.
    package var all: [Sighting] { order.reversed().flatMap { places[$0] ?? [] } }

    /// The names of the instances in sight, newest first.
    var instances: [String] { order.reversed() }

    /// Returns the sightings of an instance.
    /// - Parameter instance: Its name.
    /// - Returns: One for each address, newest first; empty for an instance that is not in sight.
    subscript(_ instance: String) -> [Sighting] { places[instance] ?? [] }

    /// Returns whether an instance is in sight.
    /// - Parameter instance: Its name.
    /// - Returns: False for one that said goodbye or expired on all interfaces, or was dropped for others.
    package func contains(_ instance: String) -> Bool { places[instance] != nil }

    /// Notes a sighting.
    /// - Parameter sighting: The sighting; it replaces an earlier one of the instance at that address.
    package mutating func insert(_ sighting: Sighting) {
        let name = sighting.instanceName
        if places[name] == nil {
            order.append(name)
            if order.count > Self.countMax { forget(order[0]) }
        }
        var known = places[name] ?? []
        known.removeAll { $0.address == sighting.address }
        known.insert(sighting, at: 0)
        places[name] = Array(known.prefix(Self.addressCountMax))
        assert(places.count == order.count, "each instance has one place in the order")
        assert(order.count <= Self.countMax, "the oldest instance was dropped")
    }

    /// Forgets where an instance was on one interface.
    /// - Parameters:
    ///   - instance: The instance.
    ///   - interfaceName: The interface on which it said goodbye or expired.
    /// - Returns: Whether it is gone from all interfaces now.
    package mutating func remove(_ instance: String, interfaceName: String) -> Bool {
        let left = (places[instance] ?? []).filter { $0.interfaceName != interfaceName }
        guard left.isEmpty else {
            places[instance] = left
            return false
        }
        forget(instance)
        return true
    }

    /// Notes the key by which an instance is called.
    /// - Parameters:
    ///   - instance: The instance.
    ///   - key: The key.
    /// - Returns: Whether it was called by another key before.
    mutating func recognise(_ instance: String, by key: PeerKey) -> Bool {
        assert(places[instance] != nil, "an instance is recognised while it is in sight")
        let former = keys.updateValue(key, forKey: instance)
        return former != nil && former != key
    }

    private mutating func forget(_ instance: String) {
        places[instance] = nil
        keys[instance] = nil
        order.removeAll { $0 == instance }
    }
}
