/// The key of an answer on the network: its instance name, interface and protocol.
struct CandidateKey: Hashable, Sendable {
    /// The network protocol over which mDNS spoke, and so the family of the address.
    enum Family: Hashable, Sendable {
        case ipv4
        case ipv6
    }

    /// The claimed instance name.
    var instanceName: String
    /// The interface's index.
    var interface: UInt32
    /// The protocol.
    var family: Family
}
