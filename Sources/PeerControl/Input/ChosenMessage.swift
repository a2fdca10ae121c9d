import KairanClient

// Messages by the beginning of an id, as tables print them.
extension MessageCommand {
    private static let idCharacterCount = 32
    private static let pageCount = 500
    /// The choice among the ids that begin with a text.
    static let choice = ChosenID(noun: "message", list: "kairan message ls", characterCountMin: 8)

    /// Finds the message that a text stands for.
    /// - Parameters:
    ///   - text: A whole id, or at least eight characters of the beginning of one.
    ///   - zone: The zone of the message; `nil` for any.
    ///   - session: Asks the daemon.
    /// - Returns: The whole id; whether there is a message with a whole id is not checked.
    /// - Throws: ``InputError`` for no message and for several, `KairanError`, `CancellationError`.
    /// - Complexity: O(messages) for a beginning.
    static func id(_ text: String, in zone: String? = nil, _ session: Session) async throws -> String {
        guard text.utf8.count < idCharacterCount else { return text }
        var found: Set<String> = []
        if text.utf8.count >= choice.characterCountMin {
            let zones = if let zone { [zone] } else { try await session.client.zones().map(\.zone) }
            for zone in zones {
                found.formUnion(try await ids(beginningWith: text, in: zone, session.client))
            }
        }
        return try choice.choose(text, among: found.sorted()) { $0 }
    }

    private static func ids(
        beginningWith text: String,
        in zone: String,
        _ client: DaemonClient
    ) async throws -> [String] {
        var found: [String] = []
        var next: UInt64?
        repeat {
            let request = DaemonRequest.messages(in: zone, after: next, limit: pageCount)
            let page: MessageList = try DaemonClient.decode(try await client.document(request))
            found += page.messages.map(\.message).filter { $0.hasPrefix(text) }
            next = page.next
        } while next != nil
        return found
    }
}
