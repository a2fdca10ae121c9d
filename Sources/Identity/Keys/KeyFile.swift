package import Sodium
package import Wire

/// The form in which secrets lie in a file that only the daemon's user can read; ``SealingKey`` seals such a file as a whole.
///
/// ```
/// +---------------+-----------+--------+---------------+-----------+
/// | "kairan-keys" | version 1 | kind 1 | payload       | hash 32 B |
/// +---------------+-----------+--------+---------------+-----------+
///   kind 1  device keys       signing seed 32, agreement key 32
///   kind 2  account secrets   account 32, fleet key 32, account salt 32, zone key 32, count 1, count × (recovery public key 32, secret 32),
///                             count 1, count × (account entry 32, fleet key 32, retired varint, days varint)
///   kind 3  recovery phrase   32
///   kind 4  key of the store  32
///   kind 5  seed of a relay   32
/// ```
///
/// The hash (BLAKE2b-256 of all before it, for this purpose) tells a damaged file from a foreign one. It is no
/// protection from a program that can write the file; nothing could be, as the secrets themselves lie there.
package enum KeyFile {
    private static let magic = Array("kairan-keys".utf8)
    private static let version: UInt8 = 1

    private enum Kind: UInt8 {
        case device = 1
        case account = 2
        case recovery = 3
        case store = 4
        case relay = 5

        /// The possible numbers of bytes of the payload.
        var payloadByteCounts: ClosedRange<Int> {
            switch self {
            case .device: 64...64
            case .account:
                Digest32.byteCount + 98...Digest32.byteCount + 98 + 64 * AccountSecrets.recoverySecretCountMax
                    + 84 * AccountSecrets.fleetSecretCountMax
            case .recovery, .store, .relay: 32...32
            }
        }
    }

    /// Writes a device's keys.
    /// - Parameter identity: The keys.
    /// - Returns: A file's contents, secret; wipe them with `ConstantTime.wipe`.
    package static func encode(_ identity: DeviceIdentity) -> [UInt8] {
        assemble([identity.exportSigningSeed(), identity.agreementKey.exportBytes()], as: .device)
    }

    /// Reads a device's keys.
    /// - Parameter bytes: A file's contents.
    /// - Returns: The keys.
    /// - Throws: ``KeyFileError``.
    package static func device(from bytes: [UInt8]) throws(KeyFileError) -> DeviceIdentity {
        var payload = try open(bytes, as: .device)
        defer { ConstantTime.wipe(&payload) }
        var (seed, agreement) = (Array(payload[..<32]), Array(payload[32...]))
        defer {
            ConstantTime.wipe(&seed)
            ConstantTime.wipe(&agreement)
        }
        do {
            return DeviceIdentity(
                signingKey: try SigningKey(seed: seed),
                agreementKey: try AgreementKey(bytes: agreement)
            )
        } catch {
            throw .damaged
        }
    }

    /// The secrets of an account as a file holds them: with the account that they are of, so that secrets of one account
    /// are never used with the log of another.
    package struct AccountKeys: Sendable {
        /// The account.
        package let account: AccountID
        /// Its secrets.
        package let keyring: AccountKeyring
    }

    /// Writes an account's secrets.
    /// - Parameters:
    ///   - keyring: The secrets.
    ///   - account: The account that they are of.
    /// - Returns: A file's contents, secret; wipe them with `ConstantTime.wipe`.
    package static func encode(_ keyring: AccountKeyring, of account: AccountID) -> [UInt8] {
        assemble([account.bytes, keyring.export().encoded], as: .account)
    }

    /// Reads an account's secrets.
    /// - Parameter bytes: A file's contents.
    /// - Returns: The secrets, and the account that they are of.
    /// - Throws: ``KeyFileError``.
    package static func accountKeys(from bytes: [UInt8]) throws(KeyFileError) -> AccountKeys {
        var payload = try open(bytes, as: .account)
        defer { ConstantTime.wipe(&payload) }
        var secrets = Array(payload[Digest32.byteCount...])
        defer { ConstantTime.wipe(&secrets) }
        guard let account = AccountID(Array(payload[..<Digest32.byteCount])) else { throw .damaged }
        do {
            return AccountKeys(account: account, keyring: try AccountKeyring(AccountSecrets(decoding: secrets)))
        } catch {
            throw .damaged
        }
    }

    /// Writes a recovery phrase, for as long as the person has not confirmed to have written it down.
    /// - Parameter phrase: The phrase.
    /// - Returns: A file's contents, secret; wipe them with `ConstantTime.wipe`.
    package static func encode(_ phrase: borrowing RecoveryPhrase) -> [UInt8] {
        assemble([phrase.exportBytes()], as: .recovery)
    }

    /// Reads a recovery phrase.
    /// - Parameter bytes: A file's contents.
    /// - Returns: The phrase.
    /// - Throws: ``KeyFileError``.
    package static func recoveryPhrase(from bytes: [UInt8]) throws(KeyFileError) -> RecoveryPhrase {
        var payload = try open(bytes, as: .recovery)
        defer { ConstantTime.wipe(&payload) }
        do {
            return try RecoveryPhrase(bytes: payload)
        } catch {
            throw .damaged
        }
    }

    /// Writes the key of the secrets that lie in the store.
    /// - Parameter key: The key.
    /// - Returns: A file's contents, secret; wipe them with `ConstantTime.wipe`.
    package static func encode(storeKey key: borrowing SymmetricKey) -> [UInt8] {
        assemble([key.exportBytes()], as: .store)
    }

    /// Reads the key of the secrets that lie in the store.
    /// - Parameter bytes: A file's contents.
    /// - Returns: The key.
    /// - Throws: ``KeyFileError``.
    package static func storeKey(from bytes: [UInt8]) throws(KeyFileError) -> SymmetricKey {
        var payload = try open(bytes, as: .store)
        defer { ConstantTime.wipe(&payload) }
        do {
            return try SymmetricKey(bytes: payload)
        } catch {
            throw .damaged
        }
    }

    /// Writes the seed of a relay's keys.
    /// - Parameter seed: The seed.
    /// - Returns: A file's contents, secret; wipe them with `ConstantTime.wipe`.
    package static func encode(relaySeed seed: borrowing SymmetricKey) -> [UInt8] {
        assemble([seed.exportBytes()], as: .relay)
    }

    /// Reads the seed of a relay's keys.
    /// - Parameter bytes: A file's contents.
    /// - Returns: The seed.
    /// - Throws: ``KeyFileError``.
    package static func relaySeed(from bytes: [UInt8]) throws(KeyFileError) -> SymmetricKey {
        var payload = try open(bytes, as: .relay)
        defer { ConstantTime.wipe(&payload) }
        do {
            return try SymmetricKey(bytes: payload)
        } catch {
            throw .damaged
        }
    }

    /// Puts a file together in memory that is not moved while it grows, and wipes the parts.
    private static func assemble(_ parts: consuming [[UInt8]], as kind: Kind) -> [UInt8] {
        var bytes: [UInt8] = []
        let payloadByteCount = parts.reduce(0) { $0 + $1.count }
        assert(
            kind.payloadByteCounts.contains(payloadByteCount),
            "a key file's payload has the size that its kind says"
        )
        bytes.reserveCapacity(magic.count + 2 + payloadByteCount + Blake2b.byteCount)
        bytes += magic
        bytes.append(version)
        bytes.append(kind.rawValue)
        for index in parts.indices {
            bytes += parts[index]
            ConstantTime.wipe(&parts[index])
        }
        bytes += checksum(of: bytes[...])
        return bytes
    }

    private static func open(_ bytes: [UInt8], as kind: Kind) throws(KeyFileError) -> [UInt8] {
        guard bytes.starts(with: magic) else {
            // The rest of a file after a crash is shorter, or zeros; both are damage, not a foreign format.
            throw magic.starts(with: bytes) || bytes.allSatisfy { $0 == 0 } ? .damaged : .otherFormat
        }
        let header = magic.count + 2
        guard bytes.count >= header else { throw .damaged }
        guard !SealingKey.isSealed(bytes) else { throw .sealed }
        guard bytes[magic.count] == version else { throw .laterVersion(bytes[magic.count]) }
        guard let found = Kind(rawValue: bytes[magic.count + 1]) else { throw .damaged }
        let end = bytes.count - Blake2b.byteCount
        guard found.payloadByteCounts.contains(end - header),
            ConstantTime.equal(Array(bytes[end...]), checksum(of: bytes[..<end]))
        else { throw .damaged }
        guard found == kind else { throw .otherContent }
        return Array(bytes[header..<end])
    }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.withUnsafeBytes { Blake2b.digest32(.keyFileTag, $0) }
    }
}
