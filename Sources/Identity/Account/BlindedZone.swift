import Sodium
package import Wire

/// A zone as a removal names it: readers of the account log who are not in the zone do not learn that it exists.
package enum BlindedZone {
    /// The hash of a zone and the nonce of the entry.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - nonce: The removal's 16 random bytes.
    /// - Returns: The zone's name in that removal.
    package static func hash(of zone: ZoneID, nonce: [UInt8]) -> Hash {
        .hash(.cutZone, zone.bytes + nonce)
    }
}
