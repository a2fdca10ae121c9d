import Identity
import Records
import Wire

/// The facts about a zone while changes in it are entered.
struct InboxZone {
    /// The facts that not every receipt needs: they are read at their first use.
    struct Members {
        let readers: [DeviceID: AccountID]
        let membership: Membership
        let account: (DeviceID) -> AccountID?
    }

    /// A device that is to read a message, with its statement about it; `nil` where it has stated nothing.
    struct Recipient {
        let device: DeviceID
        let account: AccountID
        let said: MessageReceipts.State?
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
            readers: rights.readers,
            membership: try Membership(rights, id, of: committer, in: transaction),
            account: try MessageRecords(committer).accounts(writingIn: id, transaction)
        )
        known = members
        return members
    }

    /// The devices that are to read a message, without those that were admitted after it was sent and have not answered
    /// it.
    /// - Complexity: O(readers of the zone); their statements about a section are read once.
    mutating func recipients(
        of row: MessageRow,
        _ message: Message,
        _ record: RecordRow,
        by committer: Committer,
        in transaction: some NodeTransaction
    ) throws -> [Recipient] {
        let members = try members(of: committer, in: transaction)
        var recipients: [Recipient] = []
        for (reader, account) in members.readers where reader != message.sender && message.isFor(account) {
            let said = try receipts.state(of: reader, about: row.id, madeBy: record.creation, in: transaction)
            let isAddressed =
                try said != nil || message.names(reader)
                || members.membership.isSince(Message.time(of: record), device: reader, account: account)
            if isAddressed { recipients.append(Recipient(device: reader, account: account, said: said)) }
        }
        return recipients
    }
}
