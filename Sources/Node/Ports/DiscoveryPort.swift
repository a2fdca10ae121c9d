/// What this node says of itself on the local network; nothing in it names a person, a host or a key.
package struct ServiceAdvertisement: Hashable, Sendable {
    /// A random name, new with each start.
    package var instanceName: String
    /// The TCP port of the transport.
    package var port: UInt16
    /// The attributes in the order in which they are published; a key has at most 9 ASCII characters.
    package var attributes: [ServiceAttribute]

    /// Describes a service.
    package init(instanceName: String, port: UInt16, attributes: [ServiceAttribute]) {
        self.instanceName = instanceName
        self.port = port
        self.attributes = attributes
    }
}

/// One key and value of a DNS-SD TXT record (RFC 6763 section 6).
package struct ServiceAttribute: Hashable, Sendable {
    /// The key, ASCII.
    package var key: String
    /// The value, any bytes.
    package var value: [UInt8]

    /// Makes an attribute.
    package init(key: String, value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// A service that someone claims to run; a candidate address and nothing more.
package struct ServiceSighting: Hashable, Sendable {
    /// The claimed instance name.
    package var instanceName: String
    /// The interface it was seen on, for people.
    package var interfaceName: String
    /// Where it says it listens; link-local IPv6 carries the interface index.
    package var address: PeerAddress
    /// The claimed attributes, bounded to 16 of at most 255 bytes.
    package var attributes: [ServiceAttribute]

    /// Describes a sighting.
    package init(instanceName: String, interfaceName: String, address: PeerAddress, attributes: [ServiceAttribute]) {
        self.instanceName = instanceName
        self.interfaceName = interfaceName
        self.address = address
        self.attributes = attributes
    }
}

/// What the discovery driver reports.
package enum DiscoveryEvent: Sendable, Equatable {
    /// A service was resolved, or resolved anew with other attributes.
    case sighted(ServiceSighting)
    /// A service said goodbye or expired on one interface.
    case withdrawn(instanceName: String, interfaceName: String)
    /// mDNS works.
    case available
    /// mDNS does not work just now; the driver keeps trying.
    case unavailable(reason: String)
}

/// Publishes and browses; implemented by the Avahi driver.
package protocol DiscoveryPort: Sendable {
    /// What is seen, in order; ends with the driver. Bounded: the oldest sightings are dropped first.
    var events: AsyncStream<DiscoveryEvent> { get }

    /// Publishes this instead of what was published before; takes effect as soon as the daemon of mDNS allows.
    func advertise(_ advertisement: ServiceAdvertisement)
}
