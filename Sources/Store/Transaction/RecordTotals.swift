/// The totals of a zone's records that are not deleted, or a change of these totals.
struct RecordTotals {
    /// The totals that a record is added to, beside those of all records.
    enum Kind: Int64 {
        case ofPrograms = 0
        case ofDaemons = 1
        case message = 2
    }

    /// The number of records.
    var count: Int64 = 0
    /// The bytes of their names and bodies.
    var byteCount: Int64 = 0
    /// The number of records that daemons write by themselves.
    var reservedCount: Int64 = 0
    /// The bytes of those.
    var reservedByteCount: Int64 = 0
    /// The bytes of those among them that are messages.
    var messageByteCount: Int64 = 0

    /// Adds one record, or takes one away.
    mutating func add(_ kind: Kind, byteCount: Int64, times: Int64) {
        count += times
        self.byteCount += times * byteCount
        if kind != .ofPrograms {
            reservedCount += times
            reservedByteCount += times * byteCount
        }
        if kind == .message { messageByteCount += times * byteCount }
    }
}
