package import Sodium
package import Wire

/// One generation of the key by which an account's own devices find and call each other.
///
/// The first generation comes with the account; each later one is made by an entry of the account log (``FleetGeneration``).
package final class FleetKey: Sendable {
    /// The entry that made it; zeros for the first generation.
    package let entry: Hash
    /// When this device, or the one that let it in, saw another take its place: milliseconds since 1970, and 0 while none has.
    package let retired: UInt64
    private let key: SymmetricKey

    /// How long after another took its place a key is answered, for devices that were off meanwhile: 400 days, in milliseconds.
    package static let answeredMilliseconds: UInt64 = 400 * 86_400_000
    /// How many keys that were retired are kept.
    package static let retiredCountMax = 16

    /// Draws the first key of an account.
    /// - Parameter generator: Where the randomness comes from.
    init(using generator: inout some RandomNumberGenerator) {
        entry = .zero
        retired = 0
        key = SymmetricKey.generate(using: &generator)
    }

    /// Takes over a key.
    /// - Parameter secret: As it came.
    /// - Throws: `SodiumError.wrongByteCount` for any other count than 32.
    package convenience init(_ secret: FleetSecret) throws(SodiumError) {
        try self.init(entry: secret.entry, bytes: secret.key, retired: secret.retired)
    }

    /// Takes over a key.
    /// - Throws: `SodiumError.wrongByteCount` for any other count than 32.
    init(entry: Hash, bytes: [UInt8], retired: UInt64) throws(SodiumError) {
        self.entry = entry
        self.retired = retired
        key = try SymmetricKey(bytes: bytes)
    }

    private init(_ other: FleetKey, entry: Hash, retired: UInt64) {
        self.entry = entry
        self.retired = retired
        key = other.key.duplicate()
    }

    /// The same key, retired at another moment.
    func retired(at wall: UInt64) -> FleetKey {
        wall == retired ? self : FleetKey(self, entry: entry, retired: wall)
    }

    /// The same key, once the entry that makes it is there.
    func made(by entry: Hash) -> FleetKey { FleetKey(self, entry: entry, retired: 0) }

    /// Whether a device that calls by it is answered.
    /// - Parameter wall: The time now, in milliseconds since 1970.
    /// - Returns: True of the present key, and of one that was retired less than ``answeredMilliseconds`` ago.
    package func isAnswered(at wall: UInt64) -> Bool {
        if PlantedBug.forgetRetiredFleetKeys.isActive { return retired == 0 }
        return retired == 0 || wall < retired || wall - retired < Self.answeredMilliseconds
    }

    /// The channel's pre-shared key.
    /// - Returns: A key in guarded memory.
    package func presharedKey() -> SymmetricKey { key.derivedKey(.fleetKey, placement: .guarded) }

    /// The key that makes announcements on the network recognisable to the account's own devices.
    /// - Returns: The key for ``DiscoveryTag``.
    package func discoveryKey() -> SymmetricKey { key.derivedKey(.discoveryKey, placement: .guarded) }

    /// The key in the clear, for the welcome of a new device, for a device that lacks it and for the key file.
    /// - Returns: 32 of its bytes are secret; wipe them with `ConstantTime.wipe`.
    package func export() -> FleetSecret { FleetSecret(entry: entry, key: key.exportBytes(), retired: retired) }

    /// What an entry states of the key that it makes, so that nobody can hand on another one.
    /// - Parameters:
    ///   - account: The account.
    ///   - nonce: The entry's nonce.
    /// - Returns: A hash that leads back to nothing.
    func confirmation(account: AccountID, nonce: [UInt8]) -> Hash {
        // 32 bytes always make a hash.
        Hash(Blake2b.keyedHash(.fleetConfirm, key: key, account.bytes + nonce)) ?? .zero
    }
}

extension FleetKey: UnprintedSecret {
    package var description: String { "FleetKey" }
}
