/// Why a step of the Noise protocol was refused.
package enum NoiseError: Error, Equatable, Sendable {
    /// A message does not open under the current key: altered, replayed, out of order, or from another sender.
    case notAuthentic

    /// A handshake message ends before all of its keys are read.
    case truncated

    /// A message is longer than the framework allows (65,535 bytes).
    case tooLong

    /// The key has sealed 2⁶⁴ − 1 messages; the last nonce is reserved for the rekey.
    case nonceExhausted

    /// The other side sent a public key of low order.
    case contributoryBehaviour

    /// A message was written when it was the other side's turn, or read when it was ours, or after a failure.
    case outOfTurn

    /// The pattern needs a key that was not given, or got one that it has no use for.
    case missingKey
}

extension NoiseError: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .notAuthentic: "a message does not open: it was altered, replayed, out of order, or from another sender"
        case .truncated: "a handshake message ends before its keys do"
        case .tooLong: "a message has more than 65,535 bytes"
        case .nonceExhausted: "the key has used up its nonces"
        case .contributoryBehaviour: "the other side's public key is of low order"
        case .outOfTurn: "a message was written or read when it was not its turn"
        case .missingKey: "the handshake lacks a key, or has one that it does not use"
        }
    }
}
