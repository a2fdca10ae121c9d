import Sync
import Wire

/// A row of the table of messages, before its zone and its actor are looked up.
struct MessageColumns {
    let number: UInt64
    let id: MessageID
    let zone: Int64
    let tag: RecordTag
    let actor: Int64
    let counter: UInt64
    let state: MessageRow.State
    let expires: UInt64?
    let owesAnswer: Bool
    let secret: [UInt8]?
    let payload: PayloadID?
    let isSettled: Bool
    let heldSince: UInt64?

    init(_ row: ResultRow) throws {
        guard let id = MessageID(row.bytes(1)) else { throw row.damage(1) }
        guard let state = MessageRow.State(rawValue: Int(row.integer(6))) else { throw row.damage(6) }
        number = try row.unsigned(0)
        self.id = id
        zone = row.integer(2)
        tag = RecordTag(try row.digest(3))
        actor = row.integer(4)
        counter = try row.unsigned(5)
        self.state = state
        expires = row.isNull(7) ? nil : try row.unsigned(7)
        owesAnswer = row.integer(8) != 0
        secret = row.isNull(9) ? nil : row.bytes(9)
        payload = row.isNull(10) ? nil : PayloadID(try row.digest(10))
        isSettled = row.integer(11) != 0
        heldSince = row.isNull(12) ? nil : try row.unsigned(12)
    }
}
