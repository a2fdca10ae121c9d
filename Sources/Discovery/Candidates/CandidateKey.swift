/// What tells one answer on the network from another: who, where, and over which protocol.
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
