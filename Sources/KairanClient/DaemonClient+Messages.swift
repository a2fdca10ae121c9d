public import FoundationEssentials
import NIOCore

extension DaemonClient {
    /// Sends a message to all readers of a zone, or to some of those accounts.
    /// - Parameters:
    ///   - message: The message to send.
    ///   - zone: The zone's id or unique name.
    /// - Returns: The message; it is on disk, and is sent as soon as a recipient's device is reachable.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func send(_ message: OutgoingMessage, in zone: String) async throws -> Message {
        try await value(.send(message, in: zone))
    }

    /// Sends several messages together: all of them, or none.
    /// - Parameters:
    ///   - messages: 1...256 messages; none of them can refer to another one of them.
    ///   - zone: The zone's id or unique name.
    /// - Returns: The messages, in the same order; they are on disk.
    /// - Throws: ``KairanError``, with the ``Problem/index`` of the first message that was refused; `CancellationError`.
    @discardableResult
    public func send(_ messages: [OutgoingMessage], in zone: String) async throws -> [Message] {
        let list: MessageList = try await value(.send(messages, in: zone))
        return list.messages
    }

    /// Sends a text to all readers of a zone.
    /// - Parameters:
    ///   - text: The text, at most 16 KiB. A longer text has to be uploaded first.
    ///   - zone: The zone's id or unique name.
    /// - Returns: The message; it is on disk, and is sent as soon as a recipient's device is reachable.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func send(_ text: String, in zone: String) async throws -> Message {
        try await send(OutgoingMessage(text), in: zone)
    }

    /// Uploads the content of a message that is too large for its record (more than 16 KiB).
    ///
    /// The client does not buffer the content: it sends pieces as they arrive. The daemon keeps them sealed, and
    /// deletes them after a day unless a sent message refers to them.
    ///
    /// ```swift
    /// let payload = try await client.handIn(pieces, in: "family")
    /// try await client.send(OutgoingMessage(.payload(payload.payload), contentType: "video/mp4"), in: "family")
    /// ```
    /// - Parameters:
    ///   - pieces: The bytes, in pieces of any size; at most 16 GiB less one byte in all. The daemon gives up after 60
    ///     seconds without a piece.
    ///   - size: The total number of bytes; `nil` if unknown. With a size, the daemon refuses content that is too
    ///     large before it is sent.
    ///   - zone: The zone's id or unique name.
    /// - Returns: The payload to name in the message; it is on disk.
    /// - Throws: ``KairanError``, `CancellationError`; the daemon keeps nothing in that case.
    public func handIn<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        size: Int? = nil,
        in zone: String
    ) async throws -> Payload where Pieces.Element: Sequence<UInt8> & Sendable {
        try await handIn(.pieces(pieces, length: size), in: zone)
    }

    /// Uploads the content of a message that is too large for its record (more than 16 KiB).
    /// - Parameters:
    ///   - data: The bytes; at most 16 GiB less one byte.
    ///   - zone: The zone's id or unique name.
    /// - Returns: The payload to name in the message; it is on disk.
    /// - Throws: ``KairanError``, `CancellationError`; the daemon keeps nothing in that case.
    public func handIn(_ data: Data, in zone: String) async throws -> Payload {
        try await handIn(.bytes(ByteBuffer(bytes: data)), in: zone)
    }

    private func handIn(_ body: RequestBody, in zone: String) async throws -> Payload {
        let upload = Upload(body: body, contentType: "application/octet-stream")
        return try Self.decode(await Self.collect(open(.handIn(in: zone), upload: upload)))
    }

    /// Reads the raw content of a message, whether it is in ``Message/text``, in ``Message/data`` or travels apart.
    /// - Parameters:
    ///   - id: The message's id.
    ///   - offset: The first byte to read, to continue an interrupted reading; below the message's size.
    /// - Returns: The bytes; iterate once.
    /// - Throws: ``KairanError``: `message.incomplete` while the daemon is fetching the content (may be retried);
    ///   `CancellationError`.
    public func content(ofMessage id: String, from offset: Int = 0) async throws -> MessageContent {
        let response = try await openWhole(.content(ofMessage: id, from: offset), accept: "*/*")
        guard let content = MessageContent(response, from: offset) else {
            throw KairanError.unexpectedAnswer("it does not state its length")
        }
        return content
    }

    /// The messages of a zone, those from here among them, in the order in which they came; without deliveries.
    /// - Parameters:
    ///   - zone: The zone's id or unique name.
    ///   - number: Only behind the message with this ``Message/number``; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func messages(in zone: String, after number: UInt64? = nil, limit: Int = 200) async throws -> MessageList {
        try await value(.messages(in: zone, after: number, limit: limit))
    }

    /// One message, with its delivery to each device that it is for.
    public func message(_ id: String) async throws -> Message {
        try await value(.message(id))
    }

    /// The messages that wait for a program on this device, in the order in which they came: each again and again, also after
    /// a restart, until it is finished, and never after that.
    /// - Parameters:
    ///   - number: Only behind this ``Message/number``; `nil` from the beginning. Numbers hold while the daemon runs: begin again
    ///     after a restart.
    ///   - limit: 1...1,000.
    ///   - waitMilliseconds: The time to wait for a message when there is none, 0...60,000.
    /// - Returns: The messages; none when none came in this time.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func inbox(
        after number: UInt64? = nil,
        limit: Int = 200,
        waitMilliseconds: Int = 0
    ) async throws -> [Message] {
        let list: MessageList = try await value(
            .inbox(after: number, limit: limit, waitMilliseconds: waitMilliseconds)
        )
        return list.messages
    }

    /// Marks a message as finished on this device: it does not come again, and its sender learns that it was read.
    ///
    /// Marking it twice is no error.
    /// - Parameter id: The message's id.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func finishMessage(_ id: String) async throws {
        _ = try await document(.finishMessage(id))
    }

    /// Marks messages as finished on this device, in one transaction.
    /// - Parameter ids: The ids of 1...1,000 messages.
    /// - Returns: The number of finished messages, and those that could not be finished, which keep no other one from it.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func finishMessages(_ ids: [String]) async throws -> FinishedMessages {
        try await value(.finishMessages(ids))
    }

    /// Marks all messages as finished on this device that wait up to a number, and that
    /// ``inbox(after:limit:waitMilliseconds:)`` returns.
    /// - Parameters:
    ///   - number: The ``Message/number`` of the last of them.
    ///   - zone: Only messages of this zone: its id or unique name; `nil` for all zones.
    /// - Returns: The number of finished messages.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func finishMessages(through number: UInt64, in zone: String? = nil) async throws -> FinishedMessages {
        try await value(.finishMessages(through: number, in: zone))
    }

    /// Returns the messages that wait for a program on this device and later ones, for as long as the program
    /// listens.
    ///
    /// ```swift
    /// for try await message in client.incomingMessages() {
    ///     show(message.text ?? "")
    ///     try await client.finishMessage(message.message)
    /// }
    /// ```
    public func incomingMessages() -> IncomingMessages {
        IncomingMessages(client: self)
    }
}
