/// The secrets that all devices of an account share, and no others.
///
/// ```
/// +---------------+------------------+--------------+-------------------------+-------------------------------+
/// | fleetKey 32 B | accountSalt 32 B | zoneKey 32 B | count × RecoverySecret | fleet keys: count × FleetSecret |
/// +---------------+------------------+--------------+-------------------------+-------------------------------+
/// ```
///
/// Travels only inside a channel; it has no description, so that no log shows it by accident.
package struct AccountSecrets: Hashable, Sendable {
    /// The key under which the account's devices recognised and reached each other when the account was made.
    package let fleetKey: [UInt8]
    /// The salt of default zones' ids.
    package let accountSalt: [UInt8]
    /// The key from which zones' tag keys derive.
    package let zoneKey: [UInt8]
    /// The devices' secrets for recovery words, those for the present words first.
    package let recoverySecrets: [RecoverySecret]
    /// The later keys that took the place of ``fleetKey``, and when; one without an entry says when ``fleetKey`` itself was retired.
    package let fleetSecrets: [FleetSecret]

    /// Takes over the secrets.
    /// - Parameters:
    ///   - fleetKey: 32 bytes.
    ///   - accountSalt: 32 bytes.
    ///   - zoneKey: 32 bytes.
    ///   - recoverySecrets: At most ``recoverySecretCountMax``.
    ///   - fleetSecrets: At most ``fleetSecretCountMax``, one for each entry. The one without an entry comes first; it is retired, and has the key `fleetKey`.
    /// - Precondition: each of the first three has 32 bytes.
    package init(
        fleetKey: [UInt8],
        accountSalt: [UInt8],
        zoneKey: [UInt8],
        recoverySecrets: [RecoverySecret] = [],
        fleetSecrets: [FleetSecret] = []
    ) {
        for secret in [fleetKey, accountSalt, zoneKey] {
            precondition(secret.count == Self.secretByteCount, "an account's secret has 32 bytes")
        }
        self.fleetKey = fleetKey
        self.accountSalt = accountSalt
        self.zoneKey = zoneKey
        self.recoverySecrets = Array(recoverySecrets.prefix(Self.recoverySecretCountMax))
        self.fleetSecrets = Array(fleetSecrets.prefix(Self.fleetSecretCountMax))
        assert(Self.agree(fleetKey, self.fleetSecrets), "what is written of fleet keys can be read")
    }

    /// The number of bytes of each secret.
    package static let secretByteCount = 32

    /// Recovery words that are answered at most: the present ones, and four that were replaced.
    package static let recoverySecretCountMax = 5

    /// Keys of the account's devices at most, the first one aside.
    package static let fleetSecretCountMax = 17
}

extension AccountSecrets: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeFixed(fleetKey, count: Self.secretByteCount)
        writer.writeFixed(accountSalt, count: Self.secretByteCount)
        writer.writeFixed(zoneKey, count: Self.secretByteCount)
        writer.writeCount(recoverySecrets.count)
        for secret in recoverySecrets { writer.write(secret) }
        writer.writeCount(fleetSecrets.count)
        for secret in fleetSecrets { writer.write(secret) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        fleetKey = try reader.readFixed(Self.secretByteCount)
        accountSalt = try reader.readFixed(Self.secretByteCount)
        zoneKey = try reader.readFixed(Self.secretByteCount)
        let count = try reader.readCount(
            maximum: Self.recoverySecretCountMax,
            itemByteCountMin: 2 * RecoverySecret.partByteCount
        )
        var secrets: [RecoverySecret] = []
        for _ in 0..<count { secrets.append(try RecoverySecret(from: &reader)) }
        recoverySecrets = secrets
        let keyCount = try reader.readCount(
            maximum: Self.fleetSecretCountMax,
            itemByteCountMin: FleetSecret.byteCountMin
        )
        var keys: [FleetSecret] = []
        for _ in 0..<keyCount { keys.append(try FleetSecret(from: &reader)) }
        guard Self.agree(fleetKey, keys) else { throw .invalidValue("fleetSecrets") }
        fleetSecrets = keys
    }

    /// Whether the list has one item for each entry, and for the founding key only the one that it has once it is retired.
    ///
    /// With any other list the same secrets would have two encodings.
    private static func agree(_ fleetKey: [UInt8], _ secrets: [FleetSecret]) -> Bool {
        guard Set(secrets.map(\.entry)).count == secrets.count else { return false }
        guard let first = secrets.firstIndex(where: \.entry.isZero) else { return true }
        return first == 0 && secrets[first].retired != 0 && secrets[first].key == fleetKey
    }
}

extension AccountSecrets: UnprintedSecret {
    package var description: String { "AccountSecrets" }
}
