/// Why a step of the Noise protocol was refused.
package enum NoiseError: Error, Equatable, Sendable {
    /// A message does not open under the current key: altered, replayed, out of order, or from somebody else.
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
