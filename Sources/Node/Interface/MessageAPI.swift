/// The node's interface for messages: sending, the inbox, and the state of deliveries.
package protocol MessageAPI: Sendable {
    /// Sends a message to the accounts that may read a zone, or to some of them.
    /// - Parameters:
    ///   - draft: The message.
    ///   - zone: Id text or unique name.
    /// - Returns: The message; it is durable, and leaves as soon as a peer is connected.
    /// - Throws: `zoneUnknown`, `invalidArgument`, `messageTooLarge`, `messageNoRecipient`, `messageNotMember`,
    ///   `messageUnknown` for one that it answers and that is not in the zone, `accountUnknown`, `accountAmbiguous`,
    ///   `storageLimit`, and the errors that refuse a record.
    func send(_ draft: MessageDraft, zone: String) async throws(NodeError) -> MessageView

    /// Sends messages together: all of them, or none.
    /// - Parameters:
    ///   - drafts: 1...256 messages; none of them is about another one of them.
    ///   - zone: Id text or unique name.
    /// - Returns: The messages, in the same order; they are durable.
    /// - Throws: `batchTooLarge`, and as the sending of one message, with the index of the first message that was refused.
    func send(_ drafts: [MessageDraft], zone: String) async throws(NodeError) -> [MessageView]

    /// Returns messages of a zone, including those from this device, in order of arrival and without deliveries.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - number: The number of the last message already seen; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page; its `next` is the number to continue from.
    /// - Throws: `zoneUnknown`, `invalidArgument`.
    func list(zone: String, after number: UInt64?, limit: Int) async throws(NodeError) -> MessagePage

    /// Returns one message, with its delivery state on each device that it is for.
    /// - Throws: `messageUnknown`.
    func message(_ id: String) async throws(NodeError) -> MessageView

    /// Returns messages that wait for an application on this device, in order of arrival.
    ///
    /// Each is returned again and again, also after a restart, until it is finished, and never after that.
    /// - Parameters:
    ///   - number: The number of the last message already seen; `nil` from the beginning. Numbers are those of one
    ///     run of the daemon: a caller that has waited over a restart begins again, because the store may have been
    ///     rolled back.
    ///   - limit: 1...1,000.
    ///   - waitMilliseconds: The time to wait for a message when there is none, 0...60,000.
    /// - Returns: The messages; none when the time is over, or the task is cancelled.
    /// - Throws: `invalidArgument`.
    func inbox(after number: UInt64?, limit: Int, waitMilliseconds: Int) async throws(NodeError) -> [MessageView]

    /// Marks a message as finished on this device: it is not returned again, and its sender sees that it was read.
    ///
    /// Finishing it twice is no error.
    /// - Throws: `messageUnknown` for one that is not here or is not for this device.
    func finishMessage(_ id: String) async throws(NodeError)

    /// Marks messages as finished on this device, as ``finishMessage(_:)`` does, in one transaction.
    /// - Parameter ids: 1...1,000 messages.
    /// - Returns: Those that could not be finished; all others are.
    /// - Throws: `batchTooLarge` for another number of messages.
    func finishMessages(_ ids: [String]) async throws(NodeError) -> [UnfinishedMessage]

    /// Marks all messages as finished on this device that wait up to a number, and that
    /// ``inbox(after:limit:waitMilliseconds:)`` returns now.
    ///
    /// A message that comes later, or is complete or readable only later, has a greater number. Each transaction
    /// finishes up to 1,000 of them.
    /// - Parameters:
    ///   - number: The number of the last message to be finished.
    ///   - zone: Id text or unique name; `nil` for all zones.
    /// - Returns: The number of messages that were finished.
    /// - Throws: `zoneUnknown`, `zoneAmbiguous`.
    func finishMessages(through number: UInt64, zone: String?) async throws(NodeError) -> Int
}

/// The most messages that one request is about.
package enum MessageBatch {
    /// The most that are sent together: each is sealed to the devices that it is for.
    package static let sentCountMax = 256
    /// The most that are finished together.
    package static let finishedCountMax = 1_000
}

extension MessageAPI {
    /// The messages that wait, from the first.
    package func inbox(limit: Int, waitMilliseconds: Int) async throws(NodeError) -> [MessageView] {
        try await inbox(after: nil, limit: limit, waitMilliseconds: waitMilliseconds)
    }
}
