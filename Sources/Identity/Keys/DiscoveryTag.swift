package import Sodium

/// The mark in an announcement by which a person's own devices know each other, and which tells strangers nothing.
///
/// A keyed hash of the announcement's random bytes and the hour. The hour keeps an old announcement from being replayed
/// for ever; a reader accepts the hour before and after its own, as clocks differ. It only says *worth a connection*,
/// never which device is there.
package enum DiscoveryTag {
    /// The number of random bytes that accompany a tag.
    package static let nonceByteCount = 16
    /// The number of bytes of a tag.
    package static let byteCount = 16
    /// Milliseconds in an hour.
    private static let hourMilliseconds: UInt64 = 3_600_000

    /// Makes a tag.
    /// - Parameters:
    ///   - key: The account's or contact's discovery key.
    ///   - nonce: The announcement's random bytes.
    ///   - milliseconds: The time now, since 1970.
    /// - Returns: 16 bytes.
    package static func make(key: borrowing SymmetricKey, nonce: [UInt8], at milliseconds: UInt64) -> [UInt8] {
        make(key: key, nonce: nonce, hour: milliseconds / hourMilliseconds)
    }

    /// Whether a tag was made with a key, within an hour or so of now.
    /// - Parameters:
    ///   - tag: The tag in the announcement.
    ///   - key: The account's or contact's discovery key.
    ///   - nonce: The announcement's random bytes.
    ///   - milliseconds: The time now, since 1970.
    /// - Returns: False for a tag or nonce of another size as well.
    package static func matches(
        _ tag: [UInt8],
        key: borrowing SymmetricKey,
        nonce: [UInt8],
        at milliseconds: UInt64
    ) -> Bool {
        guard tag.count == byteCount, nonce.count == nonceByteCount else { return false }
        var isMatch = false
        for candidate in all(key: key, nonce: nonce, at: milliseconds) where ConstantTime.equal(tag, candidate) {
            isMatch = true
        }
        return isMatch
    }

    /// The tags that a key may have made for an announcement within an hour or so of now: to look for one key's among many.
    /// - Parameters:
    ///   - key: The zone's discovery key.
    ///   - nonce: The announcement's random bytes.
    ///   - milliseconds: The time now, since 1970.
    /// - Returns: Three tags of 16 bytes.
    package static func all(key: borrowing SymmetricKey, nonce: [UInt8], at milliseconds: UInt64) -> [[UInt8]] {
        let hour = milliseconds / hourMilliseconds
        // Unsigned wrap-around at hour 0 gives an hour that no device is in.
        return [
            make(key: key, nonce: nonce, hour: hour &- 1), make(key: key, nonce: nonce, hour: hour),
            make(key: key, nonce: nonce, hour: hour &+ 1),
        ]
    }

    private static func make(key: borrowing SymmetricKey, nonce: [UInt8], hour: UInt64) -> [UInt8] {
        let hourBytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: hour >> UInt64($0 * 8)) }
        return Blake2b.keyedHash(.discoveryTag, key: key, nonce + hourBytes, byteCount: byteCount)
    }
}
