package import Sodium
package import Wire

/// The secrets that all devices of an account share, and the keys derived from them.
///
/// | secret | keys derived from it | others that learn it |
/// |---|---|---|
/// | fleet keys, one for each generation | the channel's pre-shared key, the key of discovery tags | devices that were removed, of earlier generations |
/// | account salt | salts of default zones, the key of zones with another account | none |
/// | zone key | tag keys of zones | none; of a zone's own tag key, the accounts that the zone is shared with |
///
/// Beside them the keyring holds the devices' part of the recovery words (``RecoveryDoor``).
///
/// They decide which devices may *talk*, never which may *do* something. Each derived value has a purpose of its own;
/// none leads back to its secret.
package final class AccountKeyring: Sendable {
    /// The key with which the account was made.
    private let founding: FleetKey
    /// The keys of later generations that this device has.
    private let renewed: [FleetKey]
    private let accountSalt: SymmetricKey
    private let zoneKey: SymmetricKey
    /// The recovery words that are answered, those of the present ones first, and then those that were replaced.
    ///
    /// At most ``Wire/AccountSecrets/recoverySecretCountMax``.
    package let recoveryDoors: [RecoveryDoor]

    /// Draws the secrets of a new account.
    /// - Parameters:
    ///   - door: The part of the recovery words that the account's devices hold.
    ///   - generator: The source of the randomness.
    package init(recovery door: RecoveryDoor? = nil, using generator: inout some RandomNumberGenerator) {
        recoveryDoors = door.map { [$0] } ?? []
        founding = FleetKey(using: &generator)
        renewed = []
        accountSalt = SymmetricKey.generate(using: &generator)
        zoneKey = SymmetricKey.generate(using: &generator)
    }

    /// Takes the secrets that a device of the account sent.
    /// - Parameters:
    ///   - fleetKey: 32 bytes.
    ///   - accountSalt: 32 bytes.
    ///   - zoneKey: 32 bytes.
    ///   - recoveryDoors: The parts of recovery words that its devices hold; those beyond the bound are dropped.
    ///   - fleetSecrets: Later keys of the devices, and when the first one was retired.
    /// - Throws: `SodiumError.wrongByteCount` for any other count.
    package init(
        fleetKey: [UInt8],
        accountSalt: [UInt8],
        zoneKey: [UInt8],
        recoveryDoors: [RecoveryDoor] = [],
        fleetSecrets: [FleetSecret] = []
    ) throws(SodiumError) {
        self.recoveryDoors = Array(recoveryDoors.prefix(AccountSecrets.recoverySecretCountMax))
        let retirement = fleetSecrets.first { $0.entry.isZero }.flatMap { FleetKey.Retirement($0) }
        founding = try FleetKey(entry: .zero, bytes: fleetKey, retirement: retirement)
        var renewed: [FleetKey] = []
        for secret in fleetSecrets where !secret.entry.isZero { renewed.append(try FleetKey(secret)) }
        self.renewed = renewed
        self.accountSalt = try SymmetricKey(bytes: accountSalt)
        self.zoneKey = try SymmetricKey(bytes: zoneKey)
    }

    /// Takes the secrets that a device of the account sent.
    /// - Parameter secrets: The secrets as received.
    /// - Throws: `SodiumError` for bytes that are no key.
    package convenience init(_ secrets: AccountSecrets) throws(SodiumError) {
        var doors: [RecoveryDoor] = []
        for handed in secrets.recoverySecrets { doors.append(try RecoveryDoor(handed)) }
        try self.init(
            fleetKey: secrets.fleetKey,
            accountSalt: secrets.accountSalt,
            zoneKey: secrets.zoneKey,
            recoveryDoors: doors,
            fleetSecrets: secrets.fleetSecrets
        )
    }

    private init(_ other: AccountKeyring, recoveryDoors: [RecoveryDoor], fleetKeys: [FleetKey]) {
        self.recoveryDoors = Array(recoveryDoors.prefix(AccountSecrets.recoverySecretCountMax))
        founding = fleetKeys.first { $0.entry.isZero } ?? other.founding
        renewed = fleetKeys.filter { !$0.entry.isZero }
        accountSalt = other.accountSalt.duplicate()
        zoneKey = other.zoneKey.duplicate()
    }

    /// The same secrets, with the words that are answered from now on in front of those that were.
    /// - Parameter door: The devices' part of the new words.
    /// - Returns: Another keyring.
    package func answering(_ door: RecoveryDoor) -> AccountKeyring {
        AccountKeyring(
            self,
            recoveryDoors: [door] + recoveryDoors.filter { $0.key != door.key },
            fleetKeys: fleetKeys
        )
    }

    /// The keys of the account's devices, the one with which the account was made first.
    package var fleetKeys: [FleetKey] { [founding] + renewed }

    /// The same secrets, with one more key of the devices.
    /// - Parameter key: A key that an entry of the account log makes.
    /// - Returns: Another keyring; the same one if it has a key of that entry.
    package func holding(_ key: FleetKey) -> AccountKeyring {
        guard !fleetKeys.contains(where: { $0.entry == key.entry }) else { return self }
        return AccountKeyring(self, recoveryDoors: recoveryDoors, fleetKeys: fleetKeys + [key])
    }

    /// The key by which the account's devices find and call each other, as far as this device has it.
    /// - Parameter fleet: The keys' state in the account log.
    /// - Returns: Of the keys that are held the one that comes first there.
    package func fleetKey(_ fleet: FleetState) -> FleetKey {
        for generation in fleet.generations {
            if let key = fleetKeys.first(where: { $0.entry == generation.entry }) { return key }
        }
        return founding
    }

    /// Returns the same secrets with the present key of the account log: the other keys are retired, and their days
    /// counted.
    ///
    /// Call it at each start, whenever the log changes, and at least once a day.
    /// Keys of entries that the log does not have are dropped, and, where there are too many, those that were retired
    /// first. The first one stays.
    /// - Parameters:
    ///   - fleet: The keys' state in the account log.
    ///   - wall: The time now, in milliseconds since 1970.
    /// - Returns: Another keyring; `nil` if nothing is different.
    package func updated(by fleet: FleetState, at wall: UInt64) -> AccountKeyring? {
        let present = fleetKey(fleet).entry
        let known = Set(fleet.generations.map(\.entry))
        var kept = fleetKeys.filter { known.contains($0.entry) || $0.entry.isZero }.map { key in
            key.entry == present ? key.present() : key.retired(at: max(wall, 1))
        }
        let surplus = kept.filter { $0.retirement != nil && !$0.entry.isZero }.lastRetiredFirst
            .dropFirst(FleetKey.retiredCountMax - 1)
        kept.removeAll { key in surplus.contains { $0 === key } }
        let isSame = kept.count == fleetKeys.count && zip(kept, fleetKeys).allSatisfy { $0 === $1 }
        return isSame ? nil : AccountKeyring(self, recoveryDoors: recoveryDoors, fleetKeys: kept)
    }

    /// All secrets in the clear, for the welcome of a new device and for the key file.
    package func export() -> AccountSecrets {
        let parts = exportParts()
        return AccountSecrets(
            fleetKey: parts.fleetKey,
            accountSalt: parts.accountSalt,
            zoneKey: parts.zoneKey,
            recoverySecrets: recoveryDoors.map { $0.export() },
            fleetSecrets: fleetKeys.filter { !$0.entry.isZero || $0.retirement != nil }.map { $0.export() }
        )
    }

    /// The secrets in the clear, for the welcome of a new device alone.
    /// - Returns: Three times 32 secret bytes; wipe them with `ConstantTime.wipe`.
    package func exportParts() -> (fleetKey: [UInt8], accountSalt: [UInt8], zoneKey: [UInt8]) {
        (founding.export().key, accountSalt.exportBytes(), zoneKey.exportBytes())
    }

    /// The channel's pre-shared key between devices of an account from which no device was removed.
    /// - Returns: A key in guarded memory.
    package func presharedKey() -> SymmetricKey { founding.presharedKey() }

    /// The key that makes such an account's announcements on the network recognisable to its own devices.
    /// - Returns: The key for ``DiscoveryTag``.
    package func discoveryKey() -> SymmetricKey { founding.discoveryKey() }

    /// The key that hides record names in a zone: tags are hashes of names under it.
    /// - Parameter zone: The zone.
    /// - Returns: The key; the same one on each device and for the zone's whole life.
    package func zoneTagKey(_ zone: ZoneID) -> SymmetricKey {
        zoneKey.derivedKey(.zoneTagKey, info: zone.bytes)
    }

    /// The key from which zones of this account and another one are derived; its public half stands in the account log.
    /// - Returns: The key; the same one on each device and for the account's whole life.
    /// - Throws: Never in fact: a derived key has the size of one.
    package func pairKey() throws(SodiumError) -> AgreementKey {
        var bytes = accountSalt.derivedKey(.pairKey).exportBytes()
        defer { ConstantTime.wipe(&bytes) }
        return try AgreementKey(bytes: bytes)
    }

    /// The salt of a container's default zone: every device of the account finds the same zone, and other accounts
    /// cannot guess a container's name from the zone's identifier.
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
