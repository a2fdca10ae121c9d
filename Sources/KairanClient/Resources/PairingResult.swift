/// The outcome of a successful pairing.
public struct PairingResult: Sendable, Hashable, Codable {
    /// The account that both devices are in now.
    public var account: String
    /// The other device.
    public var device: String
    /// Its name.
    public var name: String
    /// Six words; if both sides show the same ones, there was no attacker between them.
    public var words: [String]

    enum CodingKeys: String, CodingKey {
        case account, device, name, words
    }
}
