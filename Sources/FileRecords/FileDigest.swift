package import Crypto

/// The SHA-256 (FIPS 180-4) of a file's content, as `sha256sum` shows it.
package struct FileDigest: Sendable, Hashable {
    /// The number of its bytes.
    package static let byteCount = 32

    /// Its bytes, 32 of them.
    package let bytes: [UInt8]

    /// Reads a digest; `nil` for any other number of bytes than 32.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Takes a digest that was computed.
    package init(_ digest: SHA256Digest) { bytes = Array(digest) }

    /// The digest in hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
