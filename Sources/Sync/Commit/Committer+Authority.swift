import Capabilities
import Identity
import Records
import Wire

// The accounts that may learn of zones with several accounts.
extension Committer {
    /// Returns the authorities of the zones that several accounts take part in, or may take part in.
    /// - Parameter transaction: The store.
    /// - Returns: One for each zone, ascending; none for zones of this account alone.
    /// - Throws: Any error of the store.
    /// - Complexity: O(control operations).
    package func authorities(_ transaction: some NodeTransaction) throws -> [ZoneAuthority] {
        try authorities(try transaction.zones().filter(isCurrent), in: transaction).filter {
            $0.parties != [account.account] || $0.isPublic
        }
    }

    /// Returns the authorities of zones, also where only this account takes part any more.
    ///
    /// Other accounts' grants may turn out never to have been effective, and an account that learned otherwise has to
    /// be notified.
    func authorities(_ zones: [ZoneRow], in transaction: some NodeTransaction) throws -> [ZoneAuthority] {
        try zones.map { zone in
            let rights = try ZoneRights(zone, of: self, in: transaction)
            return ZoneAuthority(
                ZoneTerms(genesis: zone.genesis, tagKey: zone.tagKey),
                state: rights.state,
                directory: rights.directory
            )
        }
    }
}
