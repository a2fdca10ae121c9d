import Identity
import Records
import Wire

/// The facts about a zone while changes in it are entered.
struct InboxZone {
    /// The facts that messages alone need: they are read with the first one.
    struct Members {
        let membership: Membership
        let account: (DeviceID) -> AccountID?
    }

    let id: ZoneID
    var receipts: ReceiptReading
    private var known: Members?

    init(_ zone: ZoneID, in transaction: some NodeTransaction) throws {
        id = zone
        receipts = try ReceiptReading(zone, in: transaction)
    }

    mutating func members(of committer: Committer, in transaction: some NodeTransaction) throws -> Members {
        if let known { return known }
        let rights = try ZoneRights(id, of: committer, in: transaction)
        let members = Members(
            membership: try Membership(rights, id, of: committer, in: transaction),
            account: try MessageRecords(committer).accounts(writingIn: id, transaction)
        )
        known = members
        return members
    }
}
