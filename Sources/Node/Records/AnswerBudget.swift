/// The bytes of records that one answer may hold, so that no request makes the daemon hold a store's worth of them.
struct AnswerBudget: Sendable {
    /// The most bytes of records in one answer: far more than any page that is shown, far less than a machine has.
    static let byteCountMax = 32 << 20

    private var left = byteCountMax

    /// Takes room for a record.
    /// - Parameter byteCount: Its bytes.
    /// - Returns: Whether it still fits; nothing is taken when not.
    mutating func takes(_ byteCount: Int) -> Bool {
        guard byteCount <= left else { return false }
        left -= byteCount
        return true
    }
}
