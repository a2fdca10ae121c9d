/// Another device and how it is reached.
public struct Peer: Sendable, Hashable, Codable {
    /// Whether a peer can be talked to.
    public enum State: String, Sendable, Codable {
        /// A session stands.
        case connected
        /// It is seen, but no session stands.
        case reachable
        /// It is not seen.
        case away
    }

    /// The device.
    public var device: String
    /// Its account.
    public var account: String
    /// Its name in the account.
    public var name: String
    /// Whether it can be talked to.
    public var state: State
    /// Its address, where one is known.
    public var address: String?
    /// How the address was learnt: `mdns`, `static`, `last_known` or `inbound`.
    public var via: String?
    /// Round-trip time of the last ping in milliseconds.
    public var roundTripMilliseconds: Double?
    /// Its clock minus ours in milliseconds.
    public var skewMilliseconds: Int64?
    /// Its role in the account: `full`, `relay_only` or `read_only`.
    public var role: String

    enum CodingKeys: String, CodingKey {
        case device, account, name, state, address, via, role
        case roundTripMilliseconds = "rtt_ms"
        case skewMilliseconds = "skew_ms"
    }
}
