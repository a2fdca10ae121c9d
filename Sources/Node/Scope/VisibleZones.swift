import Records
import Sync
import Wire

/// The zones that exist for one caller of the interface.
///
/// Not among them are those of an account that this device has left, those that this account has left,
/// the node's own, and those outside the caller's scope.
struct VisibleZones: Sendable {
    /// The containers of the caller, and the most that it may store.
    let scope: ZoneScope
    let commitService: CommitService

    private var account: AccountID { commitService.identity.account }

    /// All of them, deleted ones included.
    func all(in transaction: any NodeTransaction) throws -> [ZoneRow] {
        try shown(transaction.zones(), in: transaction)
    }

    /// Those that are not deleted.
    func live(in transaction: any NodeTransaction) throws -> [ZoneRow] {
        try all(in: transaction).filter { !$0.isDeleted }
    }

    /// The ids of those that are not deleted: of these the caller may see the records.
    func ids(in transaction: any NodeTransaction) throws -> Set<ZoneID> {
        Set(try live(in: transaction).map(\.id))
    }

    /// Those of some zones that exist for the caller.
    func shown(_ zones: [ZoneRow], in transaction: any NodeTransaction) throws -> [ZoneRow] {
        let committer = commitService.committer
        return try zones.filter {
            try scope.contains(container: $0.genesis.container) && ZoneViews(committer).isShown($0, in: transaction)
        }
    }

    /// The zone that a reference means; all that are not deleted, ascending, without a reference.
    func ids(of reference: String?, in transaction: any NodeTransaction) throws -> [ZoneID] {
        try reference.map { [try row(of: $0, in: transaction).id] } ?? ids(in: transaction).sorted()
    }

    /// Finds the zone that a program means.
    /// - Parameters:
    ///   - reference: See ``ZoneReference``.
    ///   - transaction: The store.
    /// - Returns: The zone's row; it is not deleted.
    /// - Throws: `NodeError` `zoneUnknown`, `zoneAmbiguous`, `zoneDeleted`.
    func row(of reference: String, in transaction: any NodeTransaction) throws -> ZoneRow {
        let wanted = ZoneReference(reference)
        let rows = try shown(wanted.candidates(in: transaction), in: transaction)
        let found = wanted.zones(among: rows, of: account)
        guard let row = found.first else {
            if let end = try end(of: wanted, in: transaction) { throw NodeError(end, reference: reference) }
            throw NodeError.zoneUnknown(reference, foreign: wanted.foreignZones(among: rows, of: account))
        }
        guard found.count == 1 else { throw NodeError.zoneAmbiguous(reference, found, of: account) }
        if let end = try ZoneEnd(row, commitService.committer, transaction) {
            throw NodeError(end, reference: reference)
        }
        return row
    }

    /// Why a zone that is named by its id is not shown; `nil` when it never was, for this caller.
    private func end(of reference: ZoneReference, in transaction: any NodeTransaction) throws -> ZoneEnd? {
        guard case .id(let id) = reference, let row = try transaction.zone(id), !row.isInternal,
            scope.contains(container: row.genesis.container)
        else { return nil }
        return try ZoneEnd(row, commitService.committer, transaction)
    }

    /// Finds the account that a program means.
    ///
    /// It may be blocked, or known from a zone alone.
    /// - Throws: `NodeError` `accountUnknown`, `accountAmbiguous`.
    func account(of reference: String, in transaction: any NodeTransaction) throws -> AccountID {
        let committer = commitService.committer
        var known = Set(try Blocklist(committer).all(transaction).map(\.account))
        for row in try live(in: transaction) {
            known.formUnion(try ZoneViews(committer).controlState(row.id, in: transaction).namedAccounts)
        }
        return try AccountReference(text: reference).find(among: known, committer, in: transaction)
    }

    // MARK: Containers

    /// Makes sure that a zone may be made in a container: it is the caller's, and its name fits.
    func check(newContainer container: String) throws(NodeError) {
        try NameRule.check(container: container)
        try check(container: container)
    }

    /// Makes sure that a container is one of the caller's, and none of the daemon's own.
    func check(container: String) throws(NodeError) {
        try NameRule.check(container, "a container")
        guard !ZoneGenesis.isReserved(container: container) else {
            throw NodeError(
                .invalidArgument,
                "Containers whose names begin with \"kairan.\" are the daemon's own.",
                fix: "Choose another container, usually an application's reverse domain name."
            )
        }
        guard scope.contains(container: container) else { throw .forbidden(container: container) }
    }
}

extension NodeError {
    /// The error for a container outside the caller's scope.
    static func forbidden(container: String) -> NodeError {
        NodeError(
            .forbidden,
            "The container \"\(container)\" is not this application's.",
            fix: "Use one of the containers that the application is bound to."
        )
    }
}
