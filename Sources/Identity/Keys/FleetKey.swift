package import Sodium
package import Wire

/// One generation of the key by which an account's own devices find and call each other.
///
/// The first generation comes with the account; each later one is made by an entry of the account log (`FleetKeyRenewal`).
package final class FleetKey: Sendable {
    /// The entry that made it; zeros for the first generation.
    package let entry: Hash
    /// The time for which it has been retired; `nil` while it is the present one.
    package let retirement: Retirement?
    private let key: SymmetricKey

    /// The time for which a key has been retired, in days that were lived through.
    ///
    /// A wrong clock may say years more or less the next moment. So a day is counted each time that the clock is seen a day or more
    /// ahead of the last time, however far, and none when it went back: one jump costs one day.
    package struct Retirement: Hashable, Sendable {
        /// The days that were counted.
        package let days: UInt64
        /// The time since which the next day is counted, in milliseconds since 1970.
        package let noted: UInt64

        /// A retirement.
        package init(days: UInt64 = 0, noted: UInt64) {
            (self.days, self.noted) = (days, noted)
        }

        /// Returns the retirement at a later time.
        /// - Parameter wall: The time now, in milliseconds since 1970.
        /// - Returns: The retirement with one day more, with the day begun again, or unchanged.
        func seen(at wall: UInt64) -> Retirement {
            if wall < noted { return Retirement(days: days, noted: wall) }
            return wall - noted < FleetKey.dayMilliseconds ? self : Retirement(days: days &+ 1, noted: wall)
        }
    }

    private static let dayMilliseconds: UInt64 = 86_400_000
    /// The number of days after its replacement for which a key is answered, for devices that were off meanwhile.
    package static let answeredDays: UInt64 = 400
    /// The number of retired keys that are kept.
    package static let retiredCountMax = 16

    /// Draws the first key of an account.
    /// - Parameter generator: The source of the randomness.
    init(using generator: inout some RandomNumberGenerator) {
        entry = .zero
        retirement = nil
        key = SymmetricKey.generate(using: &generator)
    }

    /// Takes over a key.
    /// - Parameter secret: As it came.
    /// - Throws: `SodiumError.wrongByteCount` for any other count than 32.
    package convenience init(_ secret: FleetSecret) throws(SodiumError) {
        try self.init(entry: secret.entry, bytes: secret.key, retirement: Retirement(secret))
    }

    /// Takes over a key.
    /// - Throws: `SodiumError.wrongByteCount` for any other count than 32.
    init(entry: Hash, bytes: [UInt8], retirement: Retirement?) throws(SodiumError) {
        self.entry = entry
        self.retirement = retirement
        key = try SymmetricKey(bytes: bytes)
    }

    private init(_ other: FleetKey, entry: Hash, retirement: Retirement?) {
        self.entry = entry
        self.retirement = retirement
        key = other.key.duplicate()
    }

    /// The same key as the present one.
    func present() -> FleetKey { retirement == nil ? self : FleetKey(self, entry: entry, retirement: nil) }

    /// The same key, retired now or before.
    /// - Parameter wall: The time now, in milliseconds since 1970.
    /// - Returns: The key with its days counted; this one if nothing is different.
    func retired(at wall: UInt64) -> FleetKey {
        let now = retirement?.seen(at: wall) ?? Retirement(noted: wall)
        return now == retirement ? self : FleetKey(self, entry: entry, retirement: now)
    }

    /// The same key, once the entry that makes it is there.
    func made(by entry: Hash) -> FleetKey { FleetKey(self, entry: entry, retirement: nil) }

    /// Whether a device that calls by it is answered: by the present key, and by one that was retired less than ``answeredDays`` ago.
    package var isAnswered: Bool {
        guard let retirement else { return true }
        return retirement.days < Self.answeredDays
    }

    /// The channel's pre-shared key.
    /// - Returns: A key in guarded memory.
    package func presharedKey() -> SymmetricKey { key.derivedKey(.fleetKey, placement: .guarded) }

    /// The key that makes announcements on the network recognisable to the account's own devices.
    /// - Returns: The key for ``DiscoveryTag``.
    package func discoveryKey() -> SymmetricKey { key.derivedKey(.discoveryKey, placement: .guarded) }

    /// The key in the clear, for the welcome of a new device, for a device that lacks it and for the key file.
    /// - Returns: 32 of its bytes are secret; wipe them with `ConstantTime.wipe`.
    package func export() -> FleetSecret {
        FleetSecret(
            entry: entry,
            key: key.exportBytes(),
            retired: retirement.map { max($0.noted, 1) } ?? 0,
            days: retirement?.days ?? 0
        )
    }

    /// Returns the hash by which an entry commits to the key that it makes, so that no device can pass on another
    /// key.
    /// - Parameters:
    ///   - account: The account.
    ///   - nonce: The entry's nonce.
    /// - Returns: A hash that does not lead back to the key.
    func confirmation(account: AccountID, nonce: [UInt8]) -> Hash {
        // 32 bytes always make a hash.
        Hash(Blake2b.keyedHash(.fleetConfirm, key: key, account.bytes + nonce)) ?? .zero
    }
}

extension FleetKey.Retirement {
    /// The retirement that another device sent, or that stood in a file.
    init?(_ secret: FleetSecret) {
        if secret.retired == 0 { return nil }
        self.init(days: secret.days, noted: secret.retired)
    }

    /// Whether another key was retired before: more days were counted, or the day began earlier.
    static func < (left: Self, right: Self) -> Bool {
        left.days == right.days ? left.noted > right.noted : left.days < right.days
    }
}

extension FleetKey: UnprintedSecret {
    package var description: String { "FleetKey" }
}
