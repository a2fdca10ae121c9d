package import Wire

/// Why a message is not sent, or cannot be finished.
package enum MessageRefusal: Equatable, Sendable {
    /// It has more bytes than a message may have.
    case tooLarge
    /// The accounts that it is for have more devices than it can be sealed to.
    case tooManyDevices(limit: Int)
    /// No other device would get it and could read it.
    case noRecipient
    /// An account that it is for may not read the zone, or not any more.
    case notMember(AccountID)
    /// No such message is here, or it is not for this device.
    case unknown(MessageID)
    /// No such payload was handed in here for this zone.
    case unknownPayload(PayloadID)
    /// Its payload is not all here yet, so that nobody can have dealt with it.
    case incomplete(MessageID)
    /// It is to change a message of somebody else.
    case notOwn(MessageID)
}
