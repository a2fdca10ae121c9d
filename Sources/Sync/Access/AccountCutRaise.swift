import Capabilities
import Records
package import Wire

/// The raise of the cuts of all logs that an account wrote under rights that have ended.
package struct AccountCutRaise: Sendable {
    /// The result of a raise.
    package struct Outcome: Sendable {
        /// The number of ended rights whose logs are cut later now.
        package let raised: Int
        /// The number of writes that left the quarantine.
        package let released: Int
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Raises the cuts as far as the logs are held and wait for nothing.
    /// - Parameters:
    ///   - account: The account.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The outcome; nil, with nothing changed, when no right of the account has ended in the zone.
    /// - Throws: `CutRaiseRefusal` when no cut at all can be raised, `CommitError.refused`, `ReplicaError`, or an error
    ///   of the store.
    package func raise(
        of account: AccountID,
        in zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Outcome>? {
        let state = try ZoneViews(committer).controlState(zone, in: transaction)
        let ended = Set(state.endedCapabilities(of: account))
        guard !ended.isEmpty else { return nil }
        let written = Set(try transaction.logs(zone: zone).filter { $0.size > 0 }.map(\.right))
        let quarantine = Quarantine(of: zone)
        let before = try quarantine.entryCount(under: ended, in: transaction)
        var notice = CommitNotice()
        var raised = 0
        var obstacle: CutRaiseRefusal?
        for capability in ended.sorted() where written.contains(capability) {
            do {
                notice.merge(try ZoneSharing(committer).raiseCut(of: capability, zone: zone, in: &transaction))
                raised += 1
            } catch let refusal as CutRaiseRefusal {
                obstacle = obstacle ?? refusal
            }
        }
        if let obstacle, raised == 0 { throw obstacle }
        let after = try quarantine.entryCount(under: ended, in: transaction)
        return Changed(Outcome(raised: raised, released: before - after), notice: notice)
    }
}

extension ControlState {
    /// The capabilities of an account that have ended.
    fileprivate func endedCapabilities(of account: AccountID) -> some Sequence<Hash> {
        capabilities.lazy.compactMap { id, record in
            guard case .ended = record.status, record.capability.audience == account else { return nil }
            return id
        }
    }
}
