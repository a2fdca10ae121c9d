import Sodium

/// What tells an application from other programs of the same user.
///
/// Only a hash is kept, so that no log and no message can show the token; hashes have one length, so that comparing them
/// takes the same time whatever was presented.
package struct ApplicationToken: Sendable, Hashable {
    /// The fewest characters: 32 random bytes in base32 have 52, in hexadecimal 64, in base64 43.
    package static let characterCountMin = 40
    /// The most that are looked at.
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

    /// Whether another text is this token; the time it takes does not depend on how much of it is right.
    func matches(_ other: ApplicationToken) -> Bool {
        ConstantTime.equal(hash, other.hash)
    }
}
