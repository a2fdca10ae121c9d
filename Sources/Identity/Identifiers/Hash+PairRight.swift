import Sodium
package import Wire

extension Hash {
    /// The right under which an account writes in a pair zone from the beginning.
    ///
    /// Each of the two accounts has one of its own, so that a log states for which of them it is written.
    /// - Parameters:
    ///   - account: One of the zone's owners.
    ///   - zone: The zone.
    package init(pairRightOf account: AccountID, in zone: ZoneID) {
        self = .hash(.pairRight, zone.bytes + account.bytes)
    }
}
