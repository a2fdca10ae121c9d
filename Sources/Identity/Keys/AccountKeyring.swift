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
/// Beside them the keyring holds what the devices have of the recovery words (``RecoveryDoor``).
///
/// They say who may *talk*, never who may *do* something, so a removed device that kept them gains nothing but an
/// answer. Each derived value has a purpose of its own; none leads back to its secret.
package final class AccountKeyring: Sendable {
    private let fleetKey: SymmetricKey
    private let accountSalt: SymmetricKey
    private let zoneKey: SymmetricKey
    /// The recovery words that are answered, those of the present ones first, and then those that were replaced.
    ///
    /// At most ``Wire/AccountSecrets/recoverySecretCountMax``.
    package let recoveryDoors: [RecoveryDoor]

    /// Draws the secrets of a new account.
    /// - Parameters:
    ///   - door: What the account's devices have of its recovery words.
    ///   - generator: Where the randomness comes from.
    package init(recovery door: RecoveryDoor? = nil, using generator: inout some RandomNumberGenerator) {
        recoveryDoors = door.map { [$0] } ?? []
        fleetKey = SymmetricKey.generate(using: &generator)
        accountSalt = SymmetricKey.generate(using: &generator)
        zoneKey = SymmetricKey.generate(using: &generator)
    }

    /// Takes the secrets that a device of the account handed over.
    /// - Parameters:
    ///   - fleetKey: 32 bytes.
    ///   - accountSalt: 32 bytes.
    ///   - zoneKey: 32 bytes.
    ///   - recoveryDoors: What its devices have of the recovery words; those beyond the bound are dropped.
    /// - Throws: `SodiumError.wrongByteCount` for any other count.
    package init(
        fleetKey: [UInt8],
        accountSalt: [UInt8],
        zoneKey: [UInt8],
        recoveryDoors: [RecoveryDoor] = []
    ) throws(SodiumError) {
        self.recoveryDoors = Array(recoveryDoors.prefix(AccountSecrets.recoverySecretCountMax))
        self.fleetKey = try SymmetricKey(bytes: fleetKey)
        self.accountSalt = try SymmetricKey(bytes: accountSalt)
        self.zoneKey = try SymmetricKey(bytes: zoneKey)
    }

    /// Takes the secrets that a device of the account handed over.
    /// - Parameter secrets: As they came.
    /// - Throws: `SodiumError` for bytes that are no key.
    package convenience init(_ secrets: AccountSecrets) throws(SodiumError) {
        var doors: [RecoveryDoor] = []
        for handed in secrets.recoverySecrets { doors.append(try RecoveryDoor(handed)) }
        try self.init(
            fleetKey: secrets.fleetKey,
            accountSalt: secrets.accountSalt,
            zoneKey: secrets.zoneKey,
            recoveryDoors: doors
        )
    }

    /// The same secrets, with the words that are answered from now on in front of those that were.
    /// - Parameter door: What the devices have of the new words.
    /// - Returns: Another keyring.
    /// - Throws: Nothing in fact: the secrets of a keyring have the right size.
    package func answering(_ door: RecoveryDoor) throws(SodiumError) -> AccountKeyring {
        var parts = exportParts()
        defer {
            ConstantTime.wipe(&parts.fleetKey)
            ConstantTime.wipe(&parts.accountSalt)
            ConstantTime.wipe(&parts.zoneKey)
        }
        return try AccountKeyring(
            fleetKey: parts.fleetKey,
            accountSalt: parts.accountSalt,
            zoneKey: parts.zoneKey,
            recoveryDoors: [door] + recoveryDoors.filter { $0.key != door.key }
        )
    }

    /// All secrets in the clear, for the welcome of a new device and for the key file.
    package func export() -> AccountSecrets {
        let parts = exportParts()
        return AccountSecrets(
            fleetKey: parts.fleetKey,
            accountSalt: parts.accountSalt,
            zoneKey: parts.zoneKey,
            recoverySecrets: recoveryDoors.map { $0.export() }
        )
    }

    /// The secrets in the clear, for the welcome of a new device alone.
    /// - Returns: Three times 32 secret bytes; let go of them with `ConstantTime.wipe`.
    package func exportParts() -> (fleetKey: [UInt8], accountSalt: [UInt8], zoneKey: [UInt8]) {
        (fleetKey.exportBytes(), accountSalt.exportBytes(), zoneKey.exportBytes())
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
