/// The announcement of this node on the local network; nothing in it names a person, a host or a key.
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
    /// The address at which it claims to listen; link-local IPv6 carries the interface index.
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

/// The interfaces on which a driver announces this machine and browses for others.
package struct DiscoveryInterfaces: Hashable, Sendable {
    /// An interface that is left alone, and why.
    package struct LeftAlone: Hashable, Sendable, CustomStringConvertible {
        /// Its name.
        package var name: String
        /// The rest of a sentence that begins with its name.
        package var reason: String

        /// Names an interface and the reason.
        package init(name: String, reason: String) {
            self.name = name
            self.reason = reason
        }

        /// The sentence, without its end.
        package var description: String { "\(name) \(reason)" }
    }

    /// The names of those in use.
    package var used: [String]
    /// Those that are not fit for it.
    package var leftAlone: [LeftAlone]
    /// The names of those that are fit, and too many, best first.
    package var leftOut: [String]

    /// Lists interfaces.
    package init(used: [String], leftAlone: [LeftAlone], leftOut: [String]) {
        self.used = used
        self.leftAlone = leftAlone
        self.leftOut = leftOut
    }
}

/// An event that the discovery driver reports.
package enum DiscoveryEvent: Sendable, Equatable {
    /// A service was resolved, or resolved again with other attributes.
    case sighted(ServiceSighting)
    /// A service said goodbye or expired on one interface.
    case withdrawn(instanceName: String, interfaceName: String)
    /// Other interfaces are in use than before, or are left alone.
    case interfaces(DiscoveryInterfaces)
    /// mDNS works.
    case available
    /// mDNS does not work just now; the driver keeps trying.
    case unavailable(reason: String)
}

/// Publishes and browses; implemented by the Avahi driver.
package protocol DiscoveryPort: Sendable {
    /// The discovery events, in order; ends with the driver. Bounded: the oldest sightings are dropped first.
    var events: AsyncStream<DiscoveryEvent> { get }

    /// Publishes this instead of the previous advertisement; takes effect as soon as the daemon of mDNS allows.
    func advertise(_ advertisement: ServiceAdvertisement)
}
