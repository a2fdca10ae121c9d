import ArgumentParser

// The help of arguments that name a zone, an account, a device, an asset or a message: each kind has one text, which
// states what may be typed.
extension ArgumentHelp {
    private static let zoneForms = "its name, CONTAINER/NAME, its id or at least the first eight characters of the id"
    private static let accountForms = "its name, its id or at least the first eight characters of the id"
    private static let assetForms = "its id or at least the first eight characters of it"
    private static let messageForms = "its id or at least the first eight characters of it"

    /// A zone.
    static let zone: ArgumentHelp = "The zone: \(zoneForms)."
    /// A zone that may be left out.
    static let zoneOrAll: ArgumentHelp = "The zone: \(zoneForms); all zones by default."
    /// The zone of messages that are finished up to a number.
    static let zoneOfMessages: ArgumentHelp = "With --through only those of this zone: \(zoneForms)."
    /// The zone of a write, which is needed if writes of several zones have the same id.
    static let zoneOfWrite: ArgumentHelp = "The zone, if writes of several zones have this id: \(zoneForms)."
    /// An account.
    static let account: ArgumentHelp = "The account: \(accountForms)."
    /// An account that has asked to join, or its request.
    static let joining: ArgumentHelp = "The account that asks: \(accountForms); or the request's whole id."
    /// A device.
    static let device: ArgumentHelp = "The device: its name, its id or the beginning of the id."
    /// An asset.
    static let asset: ArgumentHelp = "The asset: \(assetForms)."
    /// A message.
    static let message: ArgumentHelp = "The message: \(messageForms)."

    /// The value of an option that is a message.
    /// - Parameter role: The noun phrase for it, such as "The message that it answers".
    /// - Returns: The help, which says what may be typed.
    static func message(_ role: String) -> ArgumentHelp {
        ArgumentHelp("\(role): \(messageForms).", valueName: "message")
    }

    /// The value of an option that is an account.
    /// - Parameters:
    ///   - role: The phrase for it, such as "Only for this account".
    ///   - rest: The end of the sentence.
    /// - Returns: The help, which says what may be typed.
    static func account(_ role: String, rest: String = "") -> ArgumentHelp {
        ArgumentHelp("\(role): \(accountForms)\(rest).", valueName: "account")
    }
}
