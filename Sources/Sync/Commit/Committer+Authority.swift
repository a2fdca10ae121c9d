import Capabilities
import Identity
import Records
import Wire

// Whom zones of several accounts may be told to.
extension Committer {
    /// Who may be told of the zones that several accounts take part in, or may.
    /// - Parameter transaction: The store.
    /// - Returns: One a zone, ascending; none for zones of this account alone.
    /// - Throws: What the store throws.
    /// - Complexity: O(control operations).
    package func authorities(_ transaction: some NodeTransaction) throws -> [ZoneAuthority] {
        try authorities(try transaction.zones().filter(isCurrent), in: transaction).filter {
            $0.parties != [account.account] || $0.isPublic
        }
    }

    /// Who may be told of zones, also where only this account takes part any more: what others were granted may turn out never
    /// to have counted, and whoever was told otherwise has to hear it.
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
