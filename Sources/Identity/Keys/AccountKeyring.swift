package import Sodium
package import Wire

/// The secrets that all devices of an account share, and what is derived from them.
///
/// | secret | what it gives | who else learns it |
/// |---|---|---|
/// | fleet key | the channel's pre-shared key, the key of discovery tags | nobody |
/// | account salt | salts of default zones, the key of zones with another account | nobody |
/// | zone key | tag keys of zones | nobody; a zone's own tag key, whoever the zone is shared with |
///
/// They say who may *talk*, never who may *do* something, so a removed device that kept them gains nothing but an
/// answer. Each derived value has a purpose of its own; none leads back to its secret.
package final class AccountKeyring: Sendable {
    /// How many bytes the three secrets have together.
    package static let byteCount = 96

    private let fleetKey: SymmetricKey
    private let accountSalt: SymmetricKey
    private let zoneKey: SymmetricKey

    /// Draws the secrets of a new account.
    /// - Parameter generator: Where the randomness comes from.
    package init(using generator: inout some RandomNumberGenerator) {
        fleetKey = SymmetricKey.generate(using: &generator)
        accountSalt = SymmetricKey.generate(using: &generator)
        zoneKey = SymmetricKey.generate(using: &generator)
    }

    /// Takes the secrets that a device of the account handed over.
    /// - Parameters:
    ///   - fleetKey: 32 bytes.
    ///   - accountSalt: 32 bytes.
    ///   - zoneKey: 32 bytes.
    /// - Throws: `SodiumError.wrongByteCount` for any other count.
    package init(fleetKey: [UInt8], accountSalt: [UInt8], zoneKey: [UInt8]) throws(SodiumError) {
        self.fleetKey = try SymmetricKey(bytes: fleetKey)
        self.accountSalt = try SymmetricKey(bytes: accountSalt)
        self.zoneKey = try SymmetricKey(bytes: zoneKey)
    }

    /// Takes the three secrets one after the other.
    convenience init(bytes: [UInt8]) throws(SodiumError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: bytes.count)
        }
        var parts = (fleetKey: Array(bytes[..<32]), accountSalt: Array(bytes[32..<64]), zoneKey: Array(bytes[64...]))
        defer {
            ConstantTime.wipe(&parts.fleetKey)
            ConstantTime.wipe(&parts.accountSalt)
            ConstantTime.wipe(&parts.zoneKey)
        }
        try self.init(fleetKey: parts.fleetKey, accountSalt: parts.accountSalt, zoneKey: parts.zoneKey)
    }

    /// The secrets in the clear, for the welcome of a new device alone.
    /// - Returns: Three times 32 secret bytes; let go of them with `ConstantTime.wipe`.
    package func exportParts() -> (fleetKey: [UInt8], accountSalt: [UInt8], zoneKey: [UInt8]) {
        (fleetKey.exportBytes(), accountSalt.exportBytes(), zoneKey.exportBytes())
    }

    /// The three secrets one after the other, for the key file alone.
    func exportBytes() -> [UInt8] {
        var parts = exportParts()
        defer {
            ConstantTime.wipe(&parts.fleetKey)
            ConstantTime.wipe(&parts.accountSalt)
            ConstantTime.wipe(&parts.zoneKey)
        }
        var bytes: [UInt8] = []
        // Memory that is moved while it grows leaves copies behind.
        bytes.reserveCapacity(Self.byteCount)
        bytes += parts.fleetKey
        bytes += parts.accountSalt
        bytes += parts.zoneKey
        return bytes
    }

    /// The channel's pre-shared key between devices of the account.
    /// - Returns: A key in guarded memory.
    package func presharedKey() -> SymmetricKey {
        fleetKey.derivedKey(.fleetKey, placement: .guarded)
    }

    /// The key that makes this account's announcements on the network recognisable to its own devices.
    /// - Returns: The key for ``DiscoveryTag``.
    package func discoveryKey() -> SymmetricKey {
        fleetKey.derivedKey(.discoveryKey, placement: .guarded)
    }

    /// The key that hides record names in a zone: tags are hashes of names under it.
    /// - Parameter zone: The zone.
    /// - Returns: The key; the same one on each device and for the zone's whole life.
    package func zoneTagKey(_ zone: ZoneID) -> SymmetricKey {
        zoneKey.derivedKey(.zoneTagKey, info: zone.bytes)
    }

    /// The key from which zones of this account and another one are derived; its public half stands in the account log.
    /// - Returns: The key; the same one on each device and for the account's whole life.
    /// - Throws: Nothing in fact: a derived key has the size of one.
    package func pairKey() throws(SodiumError) -> AgreementKey {
        var bytes = accountSalt.derivedKey(.pairKey).exportBytes()
        defer { ConstantTime.wipe(&bytes) }
        return try AgreementKey(bytes: bytes)
    }

    /// The salt of a container's default zone: every device of the account finds the same zone, and nobody outside can
    /// guess a container's name from the zone's identifier.
    /// - Parameter container: The container's name.
    /// - Returns: 32 bytes.
    package func defaultZoneSalt(container: String) -> [UInt8] {
        Blake2b.keyedHash(.defaultZoneSalt, key: accountSalt, Array(container.utf8))
    }

    /// The genesis of a container's default zone, a function of account and container alone.
    /// - Parameters:
    ///   - container: The container's name, 1 to 255 bytes.
    ///   - name: The zone's name, 1 to 255 bytes.
    ///   - owner: The account.
    /// - Returns: The genesis; `ZoneID` of it is the zone's identifier.
    package func defaultZoneGenesis(container: String, name: String, owner: AccountID) -> ZoneGenesis {
        ZoneGenesis(
            owner: owner,
            container: container,
            name: name,
            salt: defaultZoneSalt(container: container),
            history: .full,
            isDefault: true
        )
    }
}
