package import Sodium
package import Wire

/// The secret of one epoch of a zone's key, and the keys derived from it.
///
/// | made | as | for |
/// |---|---|---|
/// | record key | `H(secret, "record-key", zone ‖ actor ‖ counter)` | one operation's body |
/// | confirm tag | `H(secret, "epoch-confirm", zone ‖ place)` | comparing |
/// | chain key | `H(secret, "epoch-chain", zone ‖ earlier epoch)` | the secret of one earlier epoch |
///
/// A class, so that a transaction can hand it on without a copy of the secret.
package final class EpochKey: Sendable {
    private let secret: SymmetricKey

    /// Takes a secret.
    /// - Parameter secret: 32 bytes.
    package init(_ secret: consuming SymmetricKey) {
        self.secret = secret
    }

    /// Takes a secret's bytes.
    /// - Parameter bytes: 32 secret bytes; the caller sees to its own copy.
    /// - Throws: `SodiumError.wrongByteCount` for any other count.
    package convenience init(bytes: [UInt8]) throws(SodiumError) {
        // There may be thousands, too many for pages of their own.
        self.init(try SymmetricKey(bytes: bytes, placement: .transient))
    }

    /// The secret in the clear, for envelopes alone.
    /// - Returns: 32 secret bytes; wipe them with `ConstantTime.wipe`.
    package func exportBytes() -> [UInt8] { secret.exportBytes() }

    /// The tag that devices which have opened an envelope of the epoch compare.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - place: The dot of the operation that begins the epoch.
    /// - Returns: The tag.
    package func confirmTag(zone: ZoneID, place: Dot) -> Hash {
        // The hash was asked for with 32 bytes.
        Hash(Blake2b.keyedHash(.epochConfirm, key: secret, zone.bytes + place.encoded)) ?? .zero
    }

    /// The key of one operation's body.
    func recordKey(zone: ZoneID, _ dot: Dot) -> SymmetricKey {
        secret.derivedKey(.recordKey, info: zone.bytes + dot.encoded)
    }

    // MARK: Earlier epochs

    /// Seals the key of an earlier epoch for all holders of this key.
    /// - Parameters:
    ///   - earlier: The earlier key.
    ///   - epoch: Its epoch.
    ///   - zone: The zone.
    /// - Returns: A link of the chain.
    package func link(to earlier: EpochKey, of epoch: Hash, zone: ZoneID) -> ChainLink {
        var bytes = earlier.exportBytes()
        defer { ConstantTime.wipe(&bytes) }
        // The key seals nothing else, so that the nonce may be a constant.
        let sealed = XChaChaPoly.seal(bytes, key: chainKey(epoch, zone: zone), nonce: .zero)
        return ChainLink(epoch: epoch, sealed: sealed)
    }

    /// Opens the key of an earlier epoch.
    /// - Parameters:
    ///   - link: A link of this epoch's chain.
    ///   - zone: The zone.
    /// - Returns: The earlier key; `nil` for anything that ``link(to:of:zone:)`` did not make.
    package func open(_ link: ChainLink, zone: ZoneID) -> EpochKey? {
        do {
            var bytes = try XChaChaPoly.open(link.sealed, key: chainKey(link.epoch, zone: zone), nonce: .zero)
            defer { ConstantTime.wipe(&bytes) }
            return try EpochKey(bytes: bytes)
        } catch {
            return nil
        }
    }

    private func chainKey(_ epoch: Hash, zone: ZoneID) -> SymmetricKey {
        secret.derivedKey(.epochChain, info: zone.bytes + epoch.bytes)
    }
}
