import Sodium

/// The key under which the secret files of a state directory are sealed.
///
/// It is drawn once and lies in the ``SealFile``, locked: a change of the passphrase writes that one file again and no
/// other.
///
/// A sealed file:
/// ```
/// +---------------+-----------+--------+---------+----------+------------------------------------+---------+
/// | "kairan-keys" | version 2 | kind 1 | name 32 | nonce 24 | content + tag 16, XChaCha20-Poly1305 | hash 32 |
/// +---------------+-----------+--------+---------+----------+------------------------------------+---------+
///   kind 1 device keys, 2 account secrets, 3 recovery phrase, 4 enrolment tokens, 5 opened invitations, 6 key of the store,
///   7 keys of a relay
/// ```
///
/// The content is the whole file as it is when it is not sealed. Each kind has a key of its own, and all before the content
/// is authenticated along, so one file cannot stand for another. The name says which key it is, by a hash under that key;
/// the hash at the end finds damage.
package final class SealingKey: Sendable {
    /// The kind of contents that a sealed file holds.
    package enum Content: UInt8, Sendable, CaseIterable {
        case device = 1
        case account = 2
        case recovery = 3
        case enrolments = 4
        case joins = 5
        case store = 6
        case relay = 7
    }

    /// The number of bytes that name a key.
    package static let nameByteCount = Blake2b.byteCount

    private static let magic = Array("kairan-keys".utf8)
    private static let version: UInt8 = 2
    private static let headerByteCount = magic.count + 2 + nameByteCount + XChaChaPoly.Nonce.byteCount
    /// The number of bytes by which a file grows when it is sealed.
    package static let overheadByteCount = headerByteCount + XChaChaPoly.tagByteCount + Blake2b.byteCount

    /// Names the key and gives nothing of it away; another key has another name.
    package let name: [UInt8]
    private let key: SymmetricKey

    /// Draws a new key.
    /// - Parameter generator: The source of the randomness.
    package init(using generator: inout some RandomNumberGenerator) {
        key = SymmetricKey.generate(using: &generator)
        name = Self.name(of: key)
    }

    /// Takes the key that a seal held.
    init(bytes: [UInt8]) throws(SodiumError) {
        key = try SymmetricKey(bytes: bytes)
        name = Self.name(of: key)
    }

    /// The key in the clear, for the seal alone.
    func exportBytes() -> [UInt8] { key.exportBytes() }

    private static func name(of key: borrowing SymmetricKey) -> [UInt8] {
        Blake2b.keyedHash(.sealName, key: key, [])
    }

    /// Whether a file is sealed, damaged or not.
    /// - Parameter file: Its bytes.
    /// - Returns: Whether it begins as a sealed file does.
    package static func isSealed(_ file: [UInt8]) -> Bool {
        file.starts(with: magic) && file.dropFirst(magic.count).first == version
    }

    /// Seals a file.
    /// - Parameters:
    ///   - bytes: The contents.
    ///   - content: The kind of the contents.
    ///   - generator: The source of the nonce.
    /// - Returns: The file's bytes.
    package func seal(
        _ bytes: [UInt8],
        as content: Content,
        using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        let nonce = XChaChaPoly.Nonce(using: &generator)
        let header = Self.magic + [Self.version, content.rawValue] + name + nonce.bytes
        let sealed = XChaChaPoly.seal(bytes, key: fileKey(content), nonce: nonce, associatedData: header)
        let file = header + sealed
        return file + Blake2b.digest32(.sealedFileTag, file)
    }

    /// Opens a sealed file.
    /// - Parameters:
    ///   - file: Its bytes.
    ///   - content: The kind of contents that it must hold.
    /// - Returns: The contents, secret; wipe them with `ConstantTime.wipe`.
    /// - Throws: ``KeyFileError``: `damaged`, `otherContent`, `otherSeal`, and the errors of ``KeyFile`` for foreign
    ///   bytes.
    package func open(_ file: [UInt8], as content: Content) throws(KeyFileError) -> [UInt8] {
        guard Self.isSealed(file) else { throw .otherFormat }
        let end = file.count - Blake2b.byteCount
        guard file.count >= Self.overheadByteCount,
            ConstantTime.equal(Array(file[end...]), Blake2b.digest32(.sealedFileTag, Array(file[..<end])))
        else { throw .damaged }
        let header = Array(file[..<Self.headerByteCount])
        let start = Self.magic.count + 2
        guard let found = Content(rawValue: header[start - 1]) else { throw .damaged }
        guard ConstantTime.equal(Array(header[start..<start + Self.nameByteCount]), name) else { throw .otherSeal }
        guard found == content else { throw .otherContent }
        do {
            let nonce = try XChaChaPoly.Nonce(bytes: Array(header[(start + Self.nameByteCount)...]))
            return try XChaChaPoly.open(
                Array(file[Self.headerByteCount..<end]),
                key: fileKey(content),
                nonce: nonce,
                associatedData: header
            )
        } catch {
            throw .damaged
        }
    }

    private func fileKey(_ content: Content) -> SymmetricKey {
        key.derivedKey(.sealedFile, info: [content.rawValue])
    }
}
