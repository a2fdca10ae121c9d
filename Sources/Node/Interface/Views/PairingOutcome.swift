package import Wire

/// The outcome of a successful pairing.
package struct PairingOutcome: Sendable {
    /// The account both are in now.
    package var account: AccountID
    /// The other device.
    package var device: DeviceID
    /// Its name.
    package var name: String
    /// Six words that both sides show.
    package var words: [String]

    /// Makes an outcome.
    package init(account: AccountID, device: DeviceID, name: String, words: [String]) {
        self.account = account
        self.device = device
        self.name = name
        self.words = words
    }
}
