import Capabilities
import Identity
package import Records
package import Wire

// The standing of zones for this account, for people and programs.
extension Committer {
    /// Returns the standing of a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The standing.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    /// - Complexity: As ``controlState(_:in:)``.
    package func standing(of zone: ZoneID, in transaction: some NodeTransaction) throws -> ZoneStanding {
        let state = try controlState(zone, in: transaction)
        let readers = state.participants.filter { $0.value.rights.level >= .read }.map(\.key)
        let own = account.account
        let members = Set(state.owners + readers).sorted { $0 == own ? $1 != own : $1 != own && $0 < $1 }
        let others = members.flatMap { member in
            (accounts[member]?.activeDevices ?? []).filter { $0 != device }
                .map { ZoneStanding.Member(device: $0, account: member) }
        }
        return ZoneStanding(state: state, level: level(in: state), others: others)
    }

    /// Whether people and programs are shown a zone: not one that is the node's own business, nor one of an account that
    /// this device has left, nor one that this account has given up.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: True for a zone from which others have removed this account: it still holds the records from
    ///   before, and has to be notified.
    /// - Throws: Any error of the store.
    /// - Complexity: O(1) while the account has a right, otherwise as ``controlState(_:in:)``.
    package func isShown(_ zone: ZoneRow, in transaction: some NodeTransaction) throws -> Bool {
        guard isCurrent(zone), !zone.isInternal else { return false }
        guard zone.role == .unknown else { return true }
        return try !controlState(zone.id, in: transaction).hasGivenUp(account.account)
    }

    /// The highest level among the account's rights that are in their time now.
    private func level(in state: ControlState) -> AccessLevel? {
        if state.isOwned(by: account.account) { return state.isPair ? .write : .admin }
        let held = (state.participants[account.account]?.capabilities ?? []).compactMap { state.capabilities[$0] }
        return held.lazy.map(\.capability).filter { capability in
            // It makes no difference whether it is too early or too late.
            (try? capability.caveats.checkTime(wallMilliseconds)) != nil
        }.map(\.rights.level).max()
    }
}
