package import Sodium

/// 160 random bits that let machines into an account without anybody before them, as often as their offer says.
///
/// It is carried in a file that nobody but the daemon can read, so it is longer than a ``PairingTicket``: it lives longer.
/// No words are compared: whoever has the file is meant.
package struct EnrolmentToken: Sendable {
    /// How many secret bytes a token has.
    package static let byteCount = 20

    /// What the text starts with, so that whoever finds the file sees what it is.
    package static let prefix = "KAIRAN-ENROL:"

    private static let form = CheckedGroups(byteCount: byteCount, dataCountPerGroup: 4)

    private let secret: [UInt8]

    /// Draws a new token.
    /// - Parameter generator: Where the randomness comes from.
    package init(using generator: inout some RandomNumberGenerator) {
        secret = generator.randomBytes(Self.byteCount)
    }

    /// Takes a token's bytes.
    /// - Parameter bytes: 20 secret bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    init(bytes: [UInt8]) throws(SodiumError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: bytes.count)
        }
        secret = bytes
    }

    /// Reads a file's text; case, white space, dashes and a missing prefix do not matter.
    /// - Parameter typed: The text.
    /// - Throws: ``CheckedGroupsError`` that names the wrong group.
    package init(typed: String) throws(CheckedGroupsError) {
        var text = typed.trimmingPrefix(while: \.isWhitespace)
        if text.lowercased().hasPrefix(Self.prefix.lowercased()) {
            text = text.dropFirst(Self.prefix.count)
        }
        secret = try Self.form.bytes(from: String(text))
    }

    /// The token as it is written into a file: the prefix, and eight groups of four characters and a check character.
    package var text: String { Self.prefix + Self.form.text(for: secret) }

    /// Names the token without giving it away.
    /// - Returns: 16 bytes.
    package var identifier: [UInt8] {
        Array(Blake2b.digest32(.enrolmentIdentifier, secret).prefix(16))
    }

    /// The channel's pre-shared key between a machine that has the token and the device that made it.
    /// - Returns: A key that depends on the whole token.
    package func presharedKey() -> SymmetricKey {
        SecretBytes(copying: secret, placement: .transient).derivedKey(.enrolmentToken, placement: .guarded)
    }

    /// The bytes in the clear, for the file of offers alone.
    func exportBytes() -> [UInt8] { secret }
}

extension EnrolmentToken: Equatable {
    /// Compares in constant time.
    package static func == (left: EnrolmentToken, right: EnrolmentToken) -> Bool {
        ConstantTime.equal(left.secret, right.secret)
    }
}

extension EnrolmentToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what it is and nothing of the secret, so that a log cannot give it away.
    package var description: String { "enrolment token" }

    /// As ``description``.
    package var debugDescription: String { description }

    /// Hides the stored bytes from `dump`.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
