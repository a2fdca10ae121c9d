import KairanClient

/// Finds the version of a record that was typed: whole, or at least eight characters of its beginning, as `kairan get`
/// prints it.
enum ChosenVersion {
    private static let characterCount = 32
    private static let characterCountMin = 8

    /// Returns the condition of a write that names a version.
    ///
    /// The whole version is sent, so that a change of the record after the lookup is noticed.
    /// - Parameters:
    ///   - text: The text as typed.
    ///   - record: The record's name.
    ///   - zone: The zone as typed.
    ///   - session: Asks the daemon.
    /// - Returns: The whole version; the text itself if it is no beginning of one: empty, too short or whole.
    /// - Throws: ``InputError`` when the record has another version; `KairanError`, `CancellationError`.
    static func whole(_ text: String, of record: String, in zone: String, _ session: Session) async throws -> String {
        guard isBeginning(text) else { return text }
        let current = try await session.client.record(record, in: zone).version
        return try whole(text, of: record, at: current)
    }

    /// Returns whether a text is long enough for the beginning of a version, and too short for a whole one.
    static func isBeginning(_ text: String) -> Bool {
        (characterCountMin..<characterCount).contains(text.utf8.count)
    }

    /// Returns the version of a record if a text is its beginning.
    /// - Parameters:
    ///   - text: The text as typed.
    ///   - record: The record's name.
    ///   - version: The version that it has.
    /// - Returns: That version.
    /// - Throws: ``InputError`` with the code with which the daemon refuses another version.
    static func whole(_ text: String, of record: String, at version: String) throws -> String {
        guard version.hasPrefix(text) else {
            throw InputError(
                detail: "\(Table.visible(record)) has the version \(Words.short(version)), not \(Table.visible(text)).",
                fix: "Read it again with `kairan get`, and write with its current version.",
                code: "record.version_mismatch",
                title: "The record has changed"
            )
        }
        return version
    }
}
