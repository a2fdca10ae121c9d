import Identity
import Sync
package import Wire

/// Zones in which other accounts make this one a participant without an invitation; people decide whether to accept.
package struct ZoneOffers: Sendable {
    /// A zone that may be joined.
    package struct Offer: Sendable {
        /// The terms as the account stated them.
        package let terms: ZoneTerms
        /// The account that offers it.
        package let account: AccountID
        /// The time at which the offer first arrived, in milliseconds since 1970.
        package let heard: UInt64
    }

    /// Zones that are offered at once; further ones are not kept, and are offered again in the next session.
    package static let countMax = 256
    /// Of those, the ones of one account: it could make zones for no other purpose.
    package static let countPerAccountMax = 32

    /// The offers by zone.
    package private(set) var all: [ZoneID: Offer] = [:]

    /// Starts without offers.
    package init() {}

    /// Keeps an offer: for a zone the first one, but no account's claim about its key overrides that of the zone's creator.
    /// - Parameters:
    ///   - terms: The terms.
    ///   - account: The account that states them.
    ///   - wall: The time, in milliseconds since 1970.
    /// - Returns: Whether it is kept.
    package mutating func insert(_ terms: ZoneTerms, by account: AccountID, at wall: UInt64) -> Bool {
        let zone = ZoneID(terms.genesis)
        guard !terms.genesis.isInternal else { return false }
        if let known = all[zone] {
            guard account == terms.genesis.owner, known.account != account else { return false }
        } else {
            guard all.count < Self.countMax,
                all.values.count(where: { $0.account == account }) < Self.countPerAccountMax
            else { return false }
        }
        all[zone] = Offer(terms: terms, account: account, heard: all[zone]?.heard ?? wall)
        assert(all.count <= Self.countMax, "offers beyond the bound are not kept")
        return true
    }

    /// Drops an offer, since it was accepted.
    /// - Parameter zone: The zone.
    /// - Returns: The offer; `nil` if there was none.
    @discardableResult
    package mutating func remove(_ zone: ZoneID) -> Offer? { all.removeValue(forKey: zone) }
}
