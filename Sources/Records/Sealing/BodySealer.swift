import Sodium
package import Wire

/// Seals the bodies of the operations that one author writes in one transaction, under one epoch of the zone's key.
///
/// XChaCha20-Poly1305 under a key that belongs to the operation's place, with the rest of its header as associated
/// data, so that no body fits another operation; a commitment to the key, since the cipher alone lets one ciphertext
/// open under two keys; and a nonce that depends on randomness, place and plaintext, so that neither a bad random
/// generator nor a rolled-back store that writes the same place again ever uses one nonce for two plaintexts.
package struct BodySealer: Sendable {
    /// The zone.
    package let zone: ZoneID
    /// The epoch.
    package let epoch: Hash
    private let key: EpochKey
    private let entropy: TransactionEntropy

    /// Prepares sealing.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - epoch: The epoch, which is effective and whose readers are all members.
    ///   - key: Its key.
    ///   - entropy: The source of randomness for nonces.
    package init(zone: ZoneID, epoch: Hash, key: EpochKey, entropy: TransactionEntropy) {
        self.zone = zone
        self.epoch = epoch
        self.key = key
        self.entropy = entropy
    }

    /// Seals a body.
    /// - Parameters:
    ///   - body: The encoding of the `RecordBody`.
    ///   - isTombstone: Whether it deletes its record.
    ///   - header: The operation's header, whose epoch is this one; its body hash does not matter.
    ///   - actor: The author.
    /// - Returns: The operation's body: an encoded `SealedBody`.
    /// - Complexity: O(bytes).
    package func seal(_ body: [UInt8], isTombstone: Bool, header: OperationHeader, actor: ActorID) -> [UInt8] {
        let dot = Dot(actor: actor, counter: header.counter)
        let recordKey = key.recordKey(zone: zone, dot)
        var sealed = SealedBody(
            isTombstone: isTombstone,
            commitment: .committing(to: recordKey),
            nonce: nonce(body, dot),
            ciphertext: []
        )
        var text = body
        BodyPadding.pad(&text)
        sealed.ciphertext = XChaChaPoly.seal(
            text,
            key: recordKey,
            nonce: sealed.xchachaNonce,
            associatedData: sealed.associatedData(header, zone: zone, actor: actor)
        )
        ConstantTime.wipe(&text)
        return sealed.encoded
    }

    private func nonce(_ body: [UInt8], _ dot: Dot) -> [UInt8] {
        let message = zone.bytes + dot.encoded + Operation.bodyHash(body).bytes
        return Array(entropy.hash(.recordNonce, message).prefix(SealedBody.nonceByteCount))
    }
}

extension EpochKey {
    /// Whether a sealed body states that it was sealed under this key.
    /// - Parameters:
    ///   - sealed: The body.
    ///   - zone: The zone.
    ///   - dot: The operation's.
    /// - Returns: Whether it was committed to the key of this place.
    package func isCommitted(_ sealed: SealedBody, zone: ZoneID, _ dot: Dot) -> Bool {
        sealed.isCommitted(to: recordKey(zone: zone, dot))
    }

    /// Opens a body.
    /// - Parameters:
    ///   - bytes: The operation's body, an encoded `SealedBody`.
    ///   - header: The operation's header.
    ///   - zone: The zone.
    ///   - actor: The author.
    /// - Returns: The encoding of the body and whether it said that it is a tombstone; `nil` unless a sealer sealed
    ///   it under this key for this operation.
    /// - Complexity: O(bytes).
    package func open(
        _ bytes: [UInt8],
        header: OperationHeader,
        zone: ZoneID,
        actor: ActorID
    ) -> (body: [UInt8], isTombstone: Bool)? {
        do {
            let sealed = try SealedBody(decoding: bytes)
            let recordKey = recordKey(zone: zone, Dot(actor: actor, counter: header.counter))
            // The tag is checked as well, but by itself it does not say that there is no second key.
            guard sealed.isCommitted(to: recordKey) else { return nil }
            var text = try XChaChaPoly.open(
                sealed.ciphertext,
                key: recordKey,
                nonce: sealed.xchachaNonce,
                associatedData: sealed.associatedData(header, zone: zone, actor: actor)
            )
            guard BodyPadding.unpad(&text) else { return nil }
            return (text, sealed.isTombstone)
        } catch {
            return nil
        }
    }
}

extension SealedBody {
    fileprivate func isCommitted(to recordKey: borrowing SymmetricKey) -> Bool {
        ConstantTime.equal(Hash.committing(to: recordKey).bytes, commitment.bytes)
    }

    /// The nonce as the cipher takes it.
    fileprivate var xchachaNonce: XChaChaPoly.Nonce {
        // The initialiser made sure of the size.
        (try? XChaChaPoly.Nonce(bytes: nonce)) ?? .zero
    }

    /// The data authenticated along with the body: all of the operation but the hash, which is over the result.
    fileprivate func associatedData(_ header: OperationHeader, zone: ZoneID, actor: ActorID) -> [UInt8] {
        var bound = header
        bound.bodyHash = .zero
        var writer = WireWriter(capacity: 320)
        writer.writeByte(kind)
        writer.write(zone)
        writer.write(actor)
        writer.write(bound)
        return writer.bytes
    }
}

extension Hash {
    /// Says which key something was sealed with, and nothing about the key.
    fileprivate static func committing(to key: borrowing SymmetricKey) -> Hash {
        // The hash was asked for with 32 bytes.
        Hash(Blake2b.keyedHash(.keyCommitment, key: key, [])) ?? .zero
    }
}
