package import Wire

/// Why a message is not sent, or cannot be finished.
package enum MessageRefusal: Equatable, Sendable {
    /// It has more bytes than a message may have.
    case tooLarge
    /// The accounts that it is for have more devices than it can be sealed to.
    case tooManyDevices(limit: Int)
    /// No other device could receive and read it.
    case noRecipient
    /// An account that it is for may not read the zone, or not any more.
    case notMember(AccountID)
    /// No such message is here, or it is not for this device.
    case unknown(MessageID)
    /// No such payload was uploaded here for this zone.
    case unknownPayload(PayloadID)
    /// Its payload is not complete yet, so no application can have finished it.
    case incomplete(MessageID)
    /// It is to change a message of another account.
    case notOwn(MessageID)
}

extension MessageRefusal: CustomStringConvertible {
    /// The reason as a part of a sentence.
    package var description: String {
        switch self {
        case .tooLarge: "it has more bytes than a message may have"
        case .tooManyDevices(let limit): "it is for more than the \(limit) devices to which it can be sealed"
        case .noRecipient: "no other device could receive and read it"
        case .notMember(let account): "the account \(account.shortText) may not read the zone"
        case .unknown(let message): "the message \(message.text) is not here, or not for this device"
        case .unknownPayload(let payload): "the payload \(payload.shortText) was not uploaded for this zone"
        case .incomplete(let message): "the payload of the message \(message.text) is not complete here"
        case .notOwn(let message): "the message \(message.text) is from another account"
        }
    }
}
