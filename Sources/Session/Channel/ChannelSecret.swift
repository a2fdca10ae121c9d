package import Sodium

/// A pre-shared key that opens the door to a handshake.
///
/// It is a filter and never a right: the certificate of the other side decides its rights.
///
/// A class, so that all channels of a process share one protected copy.
package final class ChannelSecret: Sendable {
    /// The purpose of a secret, which limits the subjects of a session under it.
    package enum Purpose: Hashable, Sendable {
        /// The account's own devices.
        case fleet
        /// A fleet key that has been replaced, named by the entry that made it: for the account's log and the present key only.
        case earlierFleet(entry: [UInt8])
        /// The accounts that share a zone.
        case zone(identifier: [UInt8])
        /// A pairing ticket.
        case ticket(identifier: [UInt8])
        /// An enrolment token.
        case enrolment(identifier: [UInt8])
        /// The recovery words; the key is the public half of their signing key.
        case recovery(key: [UInt8])
        /// An invitation.
        case invite(identifier: [UInt8])
        /// Any device, for public zones.
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

    /// The purpose of this secret.
    package let purpose: Purpose
    /// The key that the handshake mixes in.
    let key: SymmetricKey
    /// The key of the preamble's tag; it says nothing about the other one.
    private let selectorKey: SymmetricKey
    /// Signs the proof that the initiator may begin a handshake; see ``provesBeginning``.
    private let sign: (@Sendable ([UInt8], ContextString) -> Signature)?

    /// Takes a secret.
    /// - Parameters:
    ///   - purpose: The purpose of the secret.
    ///   - key: 32 secret bytes.
    ///   - sign: Signs the beginning of a handshake, for the purpose that it is given; on the side that has the recovery words.
    package init(
        purpose: Purpose,
        key: borrowing SymmetricKey,
        sign: (@Sendable ([UInt8], ContextString) -> Signature)? = nil
    ) {
        self.purpose = purpose
        self.sign = sign
        self.key = key.derivedKey(.channelKey, placement: .guarded)
        selectorKey = key.derivedKey(.selectorKey, placement: .guarded)
    }

    /// Takes a secret from bytes.
    /// - Parameters:
    ///   - purpose: The purpose of the secret.
    ///   - bytes: 32 secret bytes; the caller takes care of its own copy.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)``.
    package convenience init(purpose: Purpose, bytes: [UInt8]) throws(SodiumError) {
        self.init(purpose: purpose, key: try SymmetricKey(bytes: bytes, placement: .transient))
    }

    /// The key that has to sign the first message of a handshake under this secret; `nil` if knowledge of the secret is
    /// enough.
    ///
    /// The devices of an account share the recovery channel's secret, and so does one that was removed. The words
    /// alone sign, so that only a device that has them gets an answer.
    private var beginnerKey: VerifyingKey? {
        guard case .recovery(let key) = purpose else { return nil }
        // 32 bytes always make a key; for a purpose with another count no signature is valid.
        return try? VerifyingKey(bytes: key)
    }

    /// Whether the first message of a handshake carries a proof beside the secret.
    var provesBeginning: Bool {
        if case .recovery = purpose { true } else { false }
    }

    /// The proof that the initiator sends in its first payload; empty where none is required, or without the recovery
    /// words.
    func beginning(_ preamble: ChannelPreamble, _ ephemeral: AgreementPublicKey) -> [UInt8] {
        guard provesBeginning, let sign else { return [] }
        return sign(Self.beginningMessage(preamble, ephemeral), .recoveryKnock).bytes
    }

    /// Whether a first payload shows that its sender may begin a handshake.
    func isBeginning(_ proof: [UInt8], _ preamble: ChannelPreamble, _ ephemeral: AgreementPublicKey) -> Bool {
        guard provesBeginning else { return proof.isEmpty }
        guard let beginnerKey, let signature = try? Signature(bytes: proof) else { return false }
        return beginnerKey.isValid(
            signature,
            over: Self.beginningMessage(preamble, ephemeral),
            context: .recoveryKnock
        )
    }

    /// With the nonce of the preamble and the ephemeral key a proof is good for one handshake, of one key.
    private static func beginningMessage(_ preamble: ChannelPreamble, _ ephemeral: AgreementPublicKey) -> [UInt8] {
        preamble.bytes + ephemeral.bytes
    }

    /// The tag that shows that the sender of a preamble knows this secret.
    func selectorTag(version: UInt8, nonce: [UInt8]) -> [UInt8] {
        Blake2b.keyedHash(.selectorTag, key: selectorKey, [version] + nonce, byteCount: ChannelPreamble.tagByteCount)
    }
}
