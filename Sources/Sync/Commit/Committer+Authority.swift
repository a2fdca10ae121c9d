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
        try authorities(try transaction.zones().filter(isCurrent), in: transaction)
    }

    func authorities(_ zones: [ZoneRow], in transaction: some NodeTransaction) throws -> [ZoneAuthority] {
        try zones.compactMap { zone in
            let rights = try ZoneRights(zone, of: self, in: transaction)
            let authority = ZoneAuthority(
                ZoneTerms(genesis: zone.genesis, tagKey: zone.tagKey),
                state: rights.state,
                directory: rights.directory
            )
            return authority.parties == [account.account] ? nil : authority
        }
    }
}
