import Records
import Sodium
import Wire

/// The content of a message that is sealed beside the zone's key: for some accounts alone, or in a zone that shows newcomers
/// nothing of before.
///
/// ```
/// sealed    = commitment 32 B ‖ XChaCha20-Poly1305(content)
/// envelopes = list of MessageEnvelope, ascending: the secret, for each device that may read it
/// ```
///
/// The secret is drawn for this message. The key and the commitment to it are derived from the secret, zone, message
/// and sender: an envelope that is copied into another message opens nothing, and all devices that can open it read
/// the same.
package struct SealedContent: Equatable, Sendable {
    private static let commitmentByteCount = 32

    /// The commitment and the ciphertext.
    let sealed: [UInt8]
    /// The secret, for each device that may open it, ascending by device.
    private(set) var envelopes: [MessageEnvelope]

    /// The identity of a message, which tells it from all others.
    struct Place {
        let zone: ZoneID
        let id: MessageID
        let sender: DeviceID

        init(zone: ZoneID, id: MessageID, sender: DeviceID) {
            (self.zone, self.id, self.sender) = (zone, id, sender)
        }

        /// The place of a message.
        init(_ row: MessageRow, _ message: Message) {
            self.init(zone: row.zone, id: row.id, sender: message.sender)
        }

        fileprivate var bytes: [UInt8] { zone.bytes + id.bytes + sender.bytes }

        /// Returns the purpose of an envelope.
        func envelopeInfo(_ device: DeviceID, _ prekey: PrekeyID?) -> [UInt8] {
            ContextString.messageEnvelope.prefixed(bytes + device.bytes + (prekey?.bytes ?? []))
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

    /// Takes over the fields of a record; `nil` for invalid ones.
    init?(sealed: [UInt8], encodedEnvelopes: [UInt8]) {
        guard sealed.count >= Self.commitmentByteCount + XChaChaPoly.tagByteCount else { return nil }
        do {
            var reader = WireReader(encodedEnvelopes)
            envelopes = try reader.readAscending(
                maximum: Limits.envelopeCountMax,
                itemByteCountMin: MessageEnvelope.byteCountMin
            )
            try reader.finish()
        } catch {
            return nil
        }
        self.sealed = sealed
    }

    /// Seals a content.
    /// - Parameters:
    ///   - content: The content.
    ///   - place: The identity of the message.
    ///   - secret: 32 bytes that seal nothing else.
    ///   - envelopes: The secret, sealed to its readers.
    /// - Throws: An error of sealing; never in fact.
    init(_ content: [UInt8], at place: Place, secret: StoredSecret, envelopes: [MessageEnvelope]) throws {
        let key = try SymmetricKey(bytes: secret.bytes, placement: .transient)
        let sealingKey = key.derivedKey(.messageKey, info: place.bytes)
        // The key seals nothing else, so that the nonce may be a constant.
        sealed = Self.commitment(key, place) + XChaChaPoly.seal(content, key: sealingKey, nonce: .zero)
        self.envelopes = envelopes.sorted { $0.device < $1.device }
    }

    /// Draws the secret of a message.
    static func secret(at place: Place, _ entropy: TransactionEntropy) -> StoredSecret? {
        StoredSecret(entropy.hash(.messageSecret, place.bytes))
    }

    /// The envelope of a device.
    func envelope(for device: DeviceID) -> MessageEnvelope? { envelopes.first { $0.device == device } }

    /// Gives a device an envelope, in place of an earlier one.
    mutating func insert(_ envelope: MessageEnvelope) {
        envelopes.removeAll { $0.device == envelope.device }
        envelopes.append(envelope)
        envelopes.sort { $0.device < $1.device }
    }

    /// Opens it.
    /// - Parameters:
    ///   - secret: The secret from an envelope.
    ///   - place: The identity of the message.
    /// - Returns: The content; `nil` where the secret is not that of the message.
    func open(_ secret: StoredSecret, at place: Place) -> [UInt8]? {
        do {
            let key = try SymmetricKey(bytes: secret.bytes, placement: .transient)
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
