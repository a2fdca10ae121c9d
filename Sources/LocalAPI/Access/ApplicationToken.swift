import Sodium

/// The token that distinguishes an application from other programs of the same user.
///
/// The daemon keeps only a hash, so that no log and no message can show the token. All hashes have the same length,
/// so that comparing them takes the same time for any presented text.
package struct ApplicationToken: Sendable, Hashable {
    /// The minimum length: 32 random bytes in base32 have 52 characters, in hexadecimal 64, in base64 43.
    package static let characterCountMin = 40
    /// The maximum length; longer tokens are not examined.
    package static let characterCountMax = 512

    private let hash: [UInt8]

    /// Takes a token; `nil` for anything but visible ASCII characters, ``characterCountMin`` to ``characterCountMax``.
    /// - Parameter text: The token.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (Self.characterCountMin...Self.characterCountMax).contains(bytes.count),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        hash = Blake2b.hash(bytes, byteCount: Blake2b.byteCount)
    }

    /// Returns whether another text is this token; the time taken does not depend on how much of it matches.
    func matches(_ other: ApplicationToken) -> Bool {
        ConstantTime.equal(hash, other.hash)
    }
}
