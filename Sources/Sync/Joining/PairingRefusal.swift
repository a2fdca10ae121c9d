/// The reason why a device is not admitted, as the code that travels in a `pairRefusal`.
///
/// Coarse, but enough for the person at the other end to know what to do next.
package enum PairingRefusal: UInt8, Sendable {
    /// The ticket was used, or another offer has taken its place.
    case used = 1
    /// The offering device could not write it down, or is not allowed to.
    case failed = 2
    /// The ten minutes are over.
    case expired = 3
    /// Too many attempts.
    case attempts = 4
    /// The device was removed from the account, which is for ever.
    case removed = 5
    /// The recovery key was replaced; these words are the old ones.
    case replaced = 6

    /// The refusal of a code; unknown ones are a plain no.
    package init(code: UInt8) {
        self = Self(rawValue: code) ?? .failed
    }
}

extension PairingRefusal: CustomStringConvertible {
    /// The reason as a part of a sentence.
    package var description: String {
        switch self {
        case .used: "the ticket was used, or another offer has replaced it"
        case .failed: "the offering device could not store the device, or may not add one"
        case .expired: "the offer has expired"
        case .attempts: "the ticket was tried too often"
        case .removed: "the device was removed from the account for good"
        case .replaced: "these recovery words were replaced by others"
        }
    }
}
