package import Sodium

/// The seal of a state directory: the key under which its secret files are sealed, locked with a credential or a passphrase.
///
/// ```
/// +---------------+-----------+--------+----------+----------+---------+---------+
/// | "kairan-seal" | version 1 | kind 1 | passes 4 | memory 4 | salt 16 | name 32 |
/// +---------------+-----------+--------+----------+----------+---------+---------+
/// | proof 32 | nonce 24 | sealing key 32 + tag 16, XChaCha20-Poly1305 | hash 32 |
/// +----------+----------+----------------------------------------------+---------+
///   kind 1 credential (passes and memory 0), kind 2 passphrase; numbers big-endian, memory in bytes
/// ```
///
/// The *proof* is a hash of the first row under the key that the secret gives: it is made from one secret alone, so a
/// wrong secret is distinguished from a damaged file, and no second secret opens the same seal to another key. The *name* is
/// the sealing key's; files that are sealed under it carry it. The hash at the end, of all before it, finds damage
/// and does not protect from a program that can write the file.
package struct SealFile: Sendable, Equatable {
    /// The kind of secret that opens it.
    package let kind: UnlockingSecret.Kind
    /// The cost of one guess at the passphrase.
    package let parameters: Argon2id.Parameters
    /// The name of the key inside.
    package let name: [UInt8]

    private let salt: [UInt8]
    private let proof: [UInt8]
    private let nonce: XChaChaPoly.Nonce
    private let locked: [UInt8]

    private static let magic = Array("kairan-seal".utf8)
    private static let version: UInt8 = 1
    private static let headerByteCount = magic.count + 10 + Argon2id.saltByteCount + SealingKey.nameByteCount
    private static let lockedByteCount = SymmetricKey.byteCount + XChaChaPoly.tagByteCount
    /// The fixed number of bytes of a seal.
    package static let byteCount =
        headerByteCount + 2 * Blake2b.byteCount + XChaChaPoly.Nonce.byteCount + lockedByteCount

    /// Locks a sealing key.
    /// - Parameters:
    ///   - key: The key.
    ///   - secret: The secret that opens it from now on.
    ///   - parameters: The cost of one guess, if the secret is a passphrase.
    ///   - generator: The source of salt and nonce.
    /// - Throws: ``SealFileError/outOfMemory(byteCount:)``.
    package init(
        locking key: SealingKey,
        with secret: UnlockingSecret,
        parameters: Argon2id.Parameters = .moderate,
        using generator: inout some RandomNumberGenerator
    ) throws(SealFileError) {
        kind = secret.kind
        self.parameters = parameters
        name = key.name
        salt = generator.randomBytes(Argon2id.saltByteCount)
        nonce = XChaChaPoly.Nonce(using: &generator)
        let header = Self.header(kind, parameters, salt, name)
        let lock = try Self.lockKey(secret, salt, parameters)
        proof = Self.proof(of: header, lock)
        var bytes = key.exportBytes()
        defer { ConstantTime.wipe(&bytes) }
        locked = XChaChaPoly.seal(bytes, key: lock.derivedKey(.sealLock), nonce: nonce, associatedData: header + proof)
    }

    /// The key inside.
    /// - Parameter secret: The secret that it was locked with.
    /// - Returns: The key.
    /// - Throws: ``SealFileError``: `wrongSecret` for another secret, `otherKind` for a secret of another kind, `damaged` for a
    ///   seal that was changed, `outOfMemory`.
    package func open(with secret: UnlockingSecret) throws(SealFileError) -> SealingKey {
        guard secret.kind == kind else { throw .otherKind }
        let header = Self.header(kind, parameters, salt, name)
        let lock = try Self.lockKey(secret, salt, parameters)
        guard ConstantTime.equal(Self.proof(of: header, lock), proof) else { throw .wrongSecret }
        do {
            var bytes = try XChaChaPoly.open(
                locked,
                key: lock.derivedKey(.sealLock),
                nonce: nonce,
                associatedData: header + proof
            )
            defer { ConstantTime.wipe(&bytes) }
            let key = try SealingKey(bytes: bytes)
            guard ConstantTime.equal(key.name, name) else { throw SealFileError.damaged }
            return key
        } catch {
            throw .damaged
        }
    }

    // MARK: Bytes

    /// The file's contents, which give no secret away without the one that they were locked with.
    package var encoded: [UInt8] {
        let bytes = Self.header(kind, parameters, salt, name) + proof + nonce.bytes + locked
        return bytes + Blake2b.digest32(.sealTag, bytes)
    }

    /// Reads a file's contents.
    /// - Parameter bytes: The contents.
    /// - Throws: ``SealFileError``: `otherFormat`, `damaged`, `laterVersion`, `tooCostly`.
    package init(decoding bytes: [UInt8]) throws(SealFileError) {
        guard bytes.starts(with: Self.magic) else {
            throw Self.magic.starts(with: bytes) || bytes.allSatisfy { $0 == 0 } ? .damaged : .otherFormat
        }
        var rest = bytes[Self.magic.count...]
        guard let version = rest.popFirst() else { throw .damaged }
        guard version == Self.version else { throw .laterVersion(version) }
        guard bytes.count == Self.byteCount,
            ConstantTime.equal(
                Array(bytes.suffix(Blake2b.byteCount)),
                Blake2b.digest32(.sealTag, Array(bytes.dropLast(Blake2b.byteCount)))
            ),
            let kind = rest.popFirst().flatMap(UnlockingSecret.Kind.init)
        else { throw .damaged }
        func take(_ count: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        let (passes, memory) = (Self.number(take(4)), Self.number(take(4)))
        switch kind {
        case .credential:
            guard passes == 0, memory == 0 else { throw .damaged }
            parameters = .moderate
        case .passphrase:
            guard let parameters = Argon2id.Parameters(passCount: passes, memoryByteCount: memory) else {
                throw .tooCostly
            }
            self.parameters = parameters
        }
        self.kind = kind
        salt = take(Argon2id.saltByteCount)
        name = take(SealingKey.nameByteCount)
        proof = take(Blake2b.byteCount)
        do {
            nonce = try XChaChaPoly.Nonce(bytes: take(XChaChaPoly.Nonce.byteCount))
        } catch {
            throw .damaged
        }
        locked = take(Self.lockedByteCount)
    }

    private static func header(
        _ kind: UnlockingSecret.Kind,
        _ parameters: Argon2id.Parameters,
        _ salt: [UInt8],
        _ name: [UInt8]
    ) -> [UInt8] {
        var header = magic + [version, kind.rawValue]
        let isHashed = kind == .passphrase
        for number in [isHashed ? parameters.passCount : 0, isHashed ? parameters.memoryByteCount : 0] {
            header += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
        }
        return header + salt + name
    }

    private static func number(_ bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func proof(of header: [UInt8], _ lock: borrowing SymmetricKey) -> [UInt8] {
        Blake2b.keyedHash(.sealProof, key: lock, header)
    }

    private static func lockKey(
        _ secret: UnlockingSecret,
        _ salt: [UInt8],
        _ parameters: Argon2id.Parameters
    ) throws(SealFileError) -> SymmetricKey {
        do {
            return try secret.lockKey(salt: salt, parameters: parameters)
        } catch {
            guard case .outOfMemory(let byteCount) = error else { throw .damaged }
            throw .outOfMemory(byteCount: byteCount)
        }
    }

    package static func == (left: SealFile, right: SealFile) -> Bool { left.encoded == right.encoded }
}
