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

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(account: String, device: String, name: String, words: [String]) {
        (self.account, self.device, self.name, self.words) = (account, device, name, words)
    }

    enum CodingKeys: String, CodingKey {
        case account, device, name, words
    }
}
