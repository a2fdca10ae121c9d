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
        /// A fleet key that has been replaced, named by the entry that made it: for the account's log and the present key only.
        case earlierFleet(entry: [UInt8])
        /// The accounts that share a zone.
        case zone(identifier: [UInt8])
        /// A pairing ticket.
        case ticket(identifier: [UInt8])
        /// An enrolment token.
        case enrolment(identifier: [UInt8])
        /// The recovery words; the key is the public half of what they sign with.
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
    /// Signs what shows that whoever begins a handshake may; see ``provesBeginning``.
    private let sign: (@Sendable ([UInt8], ContextString) -> Signature)?

    /// Takes a secret.
    /// - Parameters:
    ///   - purpose: What it is for.
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
    ///   - purpose: What it is for.
    ///   - bytes: 32 secret bytes; the caller sees to its own copy.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)``.
    package convenience init(purpose: Purpose, bytes: [UInt8]) throws(SodiumError) {
        self.init(purpose: purpose, key: try SymmetricKey(bytes: bytes, placement: .transient))
    }

    /// The key by which whoever begins a handshake under this secret has to sign its first message; `nil` = knowing the secret is enough.
    ///
    /// The devices of an account share the recovery channel's secret, and so does one that was removed. The words alone sign, so that
    /// nobody else gets an answer.
    private var beginnerKey: VerifyingKey? {
        guard case .recovery(let key) = purpose else { return nil }
        // 32 bytes always make a key; a purpose with another count is none that anybody can sign for.
        return try? VerifyingKey(bytes: key)
    }

    /// Whether the first message of a handshake carries a proof beside the secret.
    var provesBeginning: Bool {
        if case .recovery = purpose { true } else { false }
    }

    /// The proof that the initiator sends in its first payload; empty where none is asked for, or where the words are not at hand.
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
