import Records
import Sodium
import Wire

/// The content of a message for some accounts alone, in a zone that others read too.
///
/// ```
/// sealed    = commitment 32 B ‖ XChaCha20-Poly1305(content)
/// envelopes = list of KeyEnvelope: the secret, for each device of those accounts and of the sender's
/// ```
///
/// The secret is drawn for this message. The key and the commitment to it are derived from the secret, zone, message and
/// sender: what is copied into another message opens nothing, and all who can open it read the same.
package struct SealedContent: Equatable, Sendable {
    private static let commitmentByteCount = 32

    /// The commitment and the ciphertext.
    let sealed: [UInt8]
    /// The secret, for each device that may open it.
    let envelopes: [KeyEnvelope]

    /// What tells one message from all others.
    struct Place {
        let zone: ZoneID
        let id: MessageID
        let sender: DeviceID

        fileprivate var bytes: [UInt8] { zone.bytes + id.bytes + sender.bytes }

        /// What an envelope is for.
        func envelopeInfo(_ device: DeviceID) -> [UInt8] {
            ContextString.messageEnvelope.prefixed(bytes + device.bytes)
        }
    }

    /// Bytes of the content.
    var contentByteCount: Int { max(0, sealed.count - Self.commitmentByteCount - XChaChaPoly.tagByteCount) }

    /// The envelopes as the record has them.
    var encodedEnvelopes: [UInt8] {
        var writer = WireWriter()
        writer.writeList(envelopes)
        return writer.bytes
    }

    /// Takes over what a record has; `nil` for what is none.
    init?(sealed: [UInt8], encodedEnvelopes: [UInt8]) {
        guard sealed.count >= Self.commitmentByteCount + XChaChaPoly.tagByteCount else { return nil }
        do {
            var reader = WireReader(encodedEnvelopes)
            envelopes = try reader.readList(
                maximum: Limits.envelopeCountMax,
                itemByteCountMin: KeyEnvelope.byteCountMin
            )
            try reader.finish()
        } catch {
            return nil
        }
        self.sealed = sealed
    }

    /// Seals a content.
    /// - Parameters:
    ///   - content: What is said.
    ///   - place: Which message it is.
    ///   - entropy: Where the secret comes from.
    ///   - envelope: Seals the secret to whoever may read it.
    /// - Throws: What sealing throws; never in fact.
    init(
        _ content: [UInt8],
        at place: Place,
        entropy: TransactionEntropy,
        envelopes envelope: (_ secret: [UInt8]) -> [KeyEnvelope]
    ) throws {
        var secret = entropy.hash(.messageSecret, place.bytes)
        defer { ConstantTime.wipe(&secret) }
        let key = try SymmetricKey(bytes: secret, placement: .transient)
        let sealingKey = key.derivedKey(.messageKey, info: place.bytes)
        // The key seals nothing else, so that the nonce may be a constant.
        sealed = Self.commitment(key, place) + XChaChaPoly.seal(content, key: sealingKey, nonce: .zero)
        envelopes = envelope(secret)
    }

    /// Opens it.
    /// - Parameters:
    ///   - device: The device whose envelope is tried.
    ///   - place: Which message it is.
    ///   - open: Opens an envelope; `nil` for one that does not open.
    /// - Returns: What is said; `nil` where it is not for the device, or does not open.
    func open(
        for device: DeviceID,
        at place: Place,
        _ open: (_ envelope: [UInt8], _ info: [UInt8]) -> [UInt8]?
    ) -> [UInt8]? {
        guard let envelope = envelopes.first(where: { $0.device == device }),
            var secret = open(envelope.sealed, place.envelopeInfo(device))
        else { return nil }
        defer { ConstantTime.wipe(&secret) }
        do {
            let key = try SymmetricKey(bytes: secret, placement: .transient)
            let commitment = Array(sealed.prefix(Self.commitmentByteCount))
            guard ConstantTime.equal(commitment, Self.commitment(key, place)) else { return nil }
            let ciphertext = Array(sealed.dropFirst(Self.commitmentByteCount))
            return try XChaChaPoly.open(ciphertext, key: key.derivedKey(.messageKey, info: place.bytes), nonce: .zero)
        } catch {
            return nil
        }
    }

    private static func commitment(_ key: borrowing SymmetricKey, _ place: Place) -> [UInt8] {
        Blake2b.keyedHash(.messageCommitment, key: key, place.bytes)
    }
}
