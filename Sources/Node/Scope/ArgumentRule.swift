import Wire

/// The rules for arguments that several requests have.
enum ArgumentRule {
    /// Makes sure that a page has at least one entry and not too many.
    static func check(limit: Int, of countMax: Int) throws(NodeError) {
        guard (1...countMax).contains(limit) else {
            throw NodeError(.invalidArgument, "limit must be 1 to \(countMax).", fix: "Ask for fewer at a time.")
        }
    }

    /// Makes sure that a reason, which all members of a zone can read, is short enough.
    static func check(reason: String) throws(NodeError) {
        guard reason.utf8.count <= Limits.nameByteCountMax else {
            throw NodeError(
                .invalidArgument,
                "A reason has at most \(Limits.nameByteCountMax) bytes.",
                fix: "Give a shorter reason."
            )
        }
    }
}
