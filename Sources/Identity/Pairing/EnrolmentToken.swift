package import Sodium
import Wire

/// 160 random bits that add machines to an account without a person at them, as often as their offer states.
///
/// It is carried in a file that only the daemon can read, so it is longer than a ``PairingTicket``: it lives longer.
/// No words are compared: any machine that has the file is meant.
package struct EnrolmentToken: Equatable, Sendable {
    /// The number of secret bytes of a token.
    package static let byteCount = 20

    /// The beginning of the text, which shows a finder of the file its purpose.
    package static let prefix = "KAIRAN-ENROL:"

    private static let form = CheckedGroups(byteCount: byteCount, dataCountPerGroup: 4)

    private let secret: BearerSecret

    /// Draws a new token.
    /// - Parameter generator: The source of the randomness.
    package init(using generator: inout some RandomNumberGenerator) {
        secret = BearerSecret(byteCount: Self.byteCount, using: &generator)
    }

    /// Takes a token's bytes.
    /// - Parameter bytes: 20 secret bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    init(bytes: [UInt8]) throws(SodiumError) {
        secret = try BearerSecret(bytes, byteCount: Self.byteCount)
    }

    /// Reads a file's text; case, white space, dashes and a missing prefix do not matter.
    /// - Parameter typed: The text.
    /// - Throws: ``CheckedGroupsError`` that names the wrong group.
    package init(typed: String) throws(CheckedGroupsError) {
        secret = try BearerSecret(typed: typed, prefix: Self.prefix, form: Self.form)
    }

    /// The token as it is written into a file: the prefix, and eight groups of four characters and a check character.
    package var text: String { Self.prefix + Self.form.text(for: secret.bytes) }

    /// Names the token without giving it away.
    /// - Returns: 16 bytes.
    package var identifier: [UInt8] {
        secret.identifier(.enrolmentIdentifier)
    }

    /// The channel's pre-shared key between a machine that has the token and the device that made it.
    /// - Returns: A key that depends on the whole token.
    package func presharedKey() -> SymmetricKey {
        secret.key(.enrolmentToken)
    }

    /// The bytes in the clear, for the file of offers alone.
    func exportBytes() -> [UInt8] { secret.bytes }
}

extension EnrolmentToken: UnprintedSecret {
    package var description: String { "enrolment token" }
}
