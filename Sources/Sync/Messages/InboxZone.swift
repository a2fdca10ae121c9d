import Identity
import Records
import Wire

/// The facts about a zone while messages in it are entered.
struct InboxZone {
    let id: ZoneID
    let author: (ActorID) -> DeviceID?
    let membership: Membership
    let account: (DeviceID) -> AccountID?

    init(_ zone: ZoneID, of committer: Committer, in transaction: some NodeTransaction) throws {
        id = zone
        let rights = try ZoneRights(zone, of: committer, in: transaction)
        author = try MessageRecords(committer).authors(in: zone, transaction)
        membership = try Membership(rights, zone, of: committer, in: transaction)
        account = try MessageRecords(committer).accounts(writingIn: zone, transaction)
    }
}
