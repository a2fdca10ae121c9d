/// What a zone's records that are not deleted come to, or by how much that has changed.
struct RecordTotals {
    /// How many there are.
    var count: Int64 = 0
    /// The bytes of their names and bodies.
    var byteCount: Int64 = 0

    /// Adds one record, or takes one away.
    mutating func add(byteCount: Int64, times: Int64) {
        count += times
        self.byteCount += times * byteCount
    }
}
