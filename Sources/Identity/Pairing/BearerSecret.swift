import Sodium
import Wire

/// Secret bytes that are worth something to any bearer, and the one way to use them: by derivation.
struct BearerSecret: Sendable {
    /// The number of bytes that name a secret.
    static let identifierByteCount = 16

    /// The bytes in the clear: for the text that is carried and for files, nothing else.
    let bytes: [UInt8]

    /// Draws a new secret.
    /// - Parameters:
    ///   - byteCount: The number of bytes.
    ///   - generator: The source of the randomness.
    init(byteCount: Int, using generator: inout some RandomNumberGenerator) {
        bytes = generator.randomBytes(byteCount)
    }

    /// Takes bytes.
    /// - Parameters:
    ///   - bytes: The secret.
    ///   - byteCount: The required number of bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    init(_ bytes: [UInt8], byteCount: Int) throws(SodiumError) {
        guard bytes.count == byteCount else { throw .wrongByteCount(expected: byteCount, actual: bytes.count) }
        self.bytes = bytes
    }

    /// Reads a text that a person typed or a file has.
    /// - Parameters:
    ///   - typed: The text; case, white space and dashes do not matter.
    ///   - prefix: The text that may stand in front of it.
    ///   - form: Its form.
    /// - Throws: ``CheckedGroupsError`` that names the wrong group.
    init(typed: String, prefix: String, form: CheckedGroups) throws(CheckedGroupsError) {
        var text = typed.trimmingPrefix(while: \.isWhitespace)
        if text.lowercased().hasPrefix(prefix.lowercased()) { text = text.dropFirst(prefix.count) }
        bytes = try form.bytes(from: String(text))
    }

    /// Names the secret without giving it away.
    /// - Parameter purpose: The purpose of the name.
    /// - Returns: 16 bytes.
    func identifier(_ purpose: ContextString) -> [UInt8] {
        Array(Blake2b.digest32(purpose, bytes).prefix(Self.identifierByteCount))
    }

    /// Makes a key of the whole secret.
    /// - Parameter purpose: The purpose of the key.
    /// - Returns: The key, in guarded memory.
    func key(_ purpose: ContextString) -> SymmetricKey {
        SecretBytes(copying: bytes, placement: .transient).derivedKey(purpose, placement: .guarded)
    }
}

extension BearerSecret: Equatable {
    /// Compares in constant time.
    static func == (left: BearerSecret, right: BearerSecret) -> Bool {
        ConstantTime.equal(left.bytes, right.bytes)
    }
}

extension BearerSecret: UnprintedSecret {
    package var description: String { "secret" }
}
