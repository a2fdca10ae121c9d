package import Sodium

/// A pre-shared key that opens the door to a handshake.
///
/// It is a filter and never a right: what the other side may do is decided by its certificate.
///
/// A class, so that all channels of a process share one protected copy.
package final class ChannelSecret: Sendable {
    /// What a secret is for, and so what a session under it may be about.
    package enum Purpose: Hashable, Sendable {
        /// The account's own devices.
        case fleet
        /// A fleet key that has been replaced: account and control logs only.
        case earlierFleet(generation: UInt64)
        /// The accounts that share a zone.
        case zone(identifier: [UInt8])
        /// A pairing ticket.
        case ticket(identifier: [UInt8])
        /// An enrolment token.
        case enrolment(identifier: [UInt8])
        /// The recovery words; the key is their public half.
        case recovery(key: [UInt8])
        /// An invitation.
        case invite(identifier: [UInt8])
        /// Everybody, for public zones.
        case guest
        /// A relay that keeps mailboxes.
        case relay

        /// Whether it brings a new device into an account.
        package var isForJoining: Bool {
            switch self {
            case .ticket, .enrolment, .recovery: true
            case .fleet, .earlierFleet, .zone, .invite, .guest, .relay: false
            }
        }
    }

    /// What this secret is for.
    package let purpose: Purpose
    /// The key that the handshake mixes in.
    let key: SymmetricKey
    /// The key of the preamble's tag; it says nothing about the other one.
    private let selectorKey: SymmetricKey

    /// Takes a secret.
    /// - Parameters:
    ///   - purpose: What it is for.
    ///   - key: 32 secret bytes.
    package init(purpose: Purpose, key: borrowing SymmetricKey) {
        self.purpose = purpose
        self.key = key.derivedKey(.channelKey, placement: .guarded)
        selectorKey = key.derivedKey(.selectorKey, placement: .guarded)
    }

    /// Takes a secret from bytes.
    /// - Parameters:
    ///   - purpose: What it is for.
    ///   - bytes: 32 secret bytes; the caller sees to its own copy.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)``.
    package convenience init(purpose: Purpose, bytes: [UInt8]) throws(SodiumError) {
        self.init(purpose: purpose, key: try SymmetricKey(bytes: bytes, placement: .transient))
    }

    /// The tag that shows that the sender of a preamble knows this secret.
    func selectorTag(version: UInt8, nonce: [UInt8]) -> [UInt8] {
        Blake2b.keyedHash(.selectorTag, key: selectorKey, [version] + nonce, byteCount: ChannelPreamble.tagByteCount)
    }
}
