import Capabilities
import Identity
import Records
package import Wire

/// The records of messages, and what both sides of a delivery read in them.
package struct MessageRecords: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Reads a message from its record.
    /// - Parameters:
    ///   - row: The message.
    ///   - transaction: The store.
    /// - Returns: `nil` when the record was deleted, or another device wrote in it.
    /// - Throws: Any error of the store.
    package func message(of row: MessageRow, in transaction: some NodeTransaction) throws -> Message? {
        try message(of: row, by: authors(in: row.zone, transaction), in: transaction)
    }

    /// Reads a message from its record, with the authors of its zone already looked up.
    package func message(
        of row: MessageRow,
        by author: (ActorID) -> DeviceID?,
        in transaction: some NodeTransaction
    ) throws -> Message? {
        guard let record = try transaction.record(zone: row.zone, tag: row.tag) else { return nil }
        return try Message(record, device: author)
    }

    /// Returns the content of a message.
    /// - Parameters:
    ///   - message: The message.
    ///   - row: The row of the same message.
    /// - Returns: `nil` where the message is not for this device, or cannot be opened.
    package func content(of message: Message, _ row: MessageRow) -> [UInt8]? {
        guard case .sealed(let sealed) = message.content else { return message.content.bytes }
        return row.secret.flatMap { sealed.open($0, at: SealedContent.Place(row, message)) }
    }

    /// Returns a function that finds the devices of the actors that write in a zone.
    package func authors(in zone: ZoneID, _ transaction: some NodeTransaction) throws -> (ActorID) -> DeviceID? {
        let rows = try transaction.logs(zone: zone)
        let devices = Dictionary(rows.map { ($0.key.actor, $0.device) }) { first, _ in first }
        return { devices[$0] }
    }

    /// Returns a function that finds the accounts of the devices that write in a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The account of a device; `nil` for one that has not written there, or whose account is unknown.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    /// - Complexity: O(control operations + logs).
    package func accounts(
        writingIn zone: ZoneID,
        _ transaction: some NodeTransaction
    ) throws -> (DeviceID) -> AccountID? {
        let state = try ZoneViews(committer).controlState(zone, in: transaction)
        var accounts: [DeviceID: AccountID] = [:]
        for log in try transaction.logs(zone: zone) where accounts[log.device] == nil {
            accounts[log.device] = state.account(of: log.right)
        }
        for device in committer.account.devices.keys { accounts[device] = committer.account.account }
        return { accounts[$0] }
    }

    /// A number that no message here has had.
    func nextNumber(in transaction: inout some NodeTransaction) throws -> UInt64 {
        try transaction.takeMessageNumber()
    }
}

extension Message.Content {
    /// The bytes of the content; none of sealed content.
    package var bytes: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .sealed: []
        }
    }
}
