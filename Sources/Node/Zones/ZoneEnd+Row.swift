import Capabilities
import Identity
import Records
import Sync
import Wire

extension ZoneEnd {
    /// Why a zone is not shown; `nil` for one that is.
    init?(_ zone: ZoneRow, _ committer: Committer, _ transaction: any NodeTransaction) throws {
        if case .deleted(let reason) = zone.state {
            self.init(.deleted, reason: reason.isEmpty ? nil : reason)
            return
        }
        guard try !ZoneViews(committer).isShown(zone, in: transaction) else { return nil }
        let isOfThisAccount = zone.genesis.owners.contains(committer.account.account) || zone.role != .owner
        self.init(isOfThisAccount ? .left : .accountChanged)
    }
}

extension NodeError {
    /// The error for a zone that is no longer here.
    init(_ end: ZoneEnd, reference: String) {
        let facts = [.kind(end.kind)] + (end.reason.map { [ErrorFact.reason($0)] } ?? [])
        switch end.kind {
        case .deleted:
            self.init(
                .zoneDeleted,
                "The zone \"\(reference)\" was deleted" + (end.reason.map { ": \($0)" } ?? "") + ".",
                fix: "Drop your copy of it.",
                facts: facts
            )
        case .left:
            self.init(
                .zoneDeleted,
                "This account has left the zone \"\(reference)\".",
                fix: "Drop your copy of it, or ask for another invitation.",
                facts: facts
            )
        case .accountChanged:
            self.init(
                .zoneDeleted,
                "The zone \"\(reference)\" belongs to an account that this device has left.",
                fix: "Drop your copy of it; its records continue in a zone of the present account.",
                facts: facts
            )
        }
    }
}
