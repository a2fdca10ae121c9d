import Foundation
import KairanClient

/// One chat: a zone.
struct Chat {
    let name: String
    let zone: RecordZone
    /// The other account, in a chat of two.
    let person: String?
    let chats: Chats

    /// All messages, oldest first.
    func messages() async throws -> [TypedRecord<Message>] {
        var messages: [TypedRecord<Message>] = []
        for try await message in zone.records(of: Message.self) { messages.append(message) }
        return messages
    }

    /// All reactions by the message that they are for.
    func reactions() async throws -> [String: [Reaction]] {
        var reactions: [String: [Reaction]] = [:]
        for try await reaction in zone.records(of: Reaction.self) {
            reactions[reaction.value.message.record, default: []].append(reaction.value)
        }
        return reactions
    }

    /// Sends a text, and a file that was uploaded for it.
    @discardableResult
    func send(_ text: String, _ attachment: AssetDescription? = nil) async throws -> TypedRecord<Message> {
        let now = Date()
        let message = Message(
            session: RecordReference(ChatSession.name),
            author: chats.myself.author,
            nick: chats.myself.nick,
            text: text,
            sentAt: now,
            attachment: attachment
        )
        return try await zone.save(TypedRecord(Message.newName(at: now), message))
    }

    /// Adds a reaction, or withdraws it if it was given.
    /// - Returns: Whether it is given now.
    @discardableResult
    func react(_ emoji: String, to message: String) async throws -> Bool {
        guard emoji.utf8.count <= 64 else { throw ChatError("A reaction is one emoji.") }
        _ = try await zone.record(message, as: Message.self)
        let reaction = Reaction(
            message: RecordReference(message),
            author: chats.myself.author,
            nick: chats.myself.nick,
            emoji: emoji
        )
        let name = Reaction.name(of: emoji, to: message, by: chats.myself.author)
        do {
            try await zone.save(TypedRecord(name, reaction), .ifUnchanged)
            return true
        } catch let error as KairanError where error.code == "record.version_mismatch" {
            try await zone.delete(name)
            return false
        }
    }

    // MARK: Private state of this account

    private func storedState() async throws -> TypedRecord<ChatState> {
        do {
            return try await chats.companion.record(zone.id)
        } catch let error as KairanError where error.code == "record.unknown" {
            return TypedRecord(zone.id, ChatState())
        }
    }

    func state() async throws -> ChatState { try await storedState().value }

    func mute(_ muted: Bool) async throws {
        var state = try await storedState()
        state.value.muted = muted
        try await chats.companion.save(state)
    }

    func markRead(_ messages: [TypedRecord<Message>]) async throws {
        var state = try await storedState()
        let unread = messages.map(\.name).filter { !state.value.hasRead($0) }
        guard !unread.isEmpty else { return }
        state.value.markRead(unread)
        try await chats.companion.save(state)
    }

    /// Unread messages of others, and the number of them that mention this person.
    func unread() async throws -> Unread {
        let state = try await state()
        let unread = try await messages().filter { isUnread($0, state) }
        return Unread(
            messages: unread.count,
            mentions: unread.count { $0.value.mentions(chats.myself.nick) },
            muted: state.muted
        )
    }

    func isUnread(_ message: TypedRecord<Message>, _ state: ChatState) -> Bool {
        message.value.author != chats.myself.author && !state.hasRead(message.name)
    }
}

/// The number of unread messages of a chat.
struct Unread: Codable {
    var messages: Int
    var mentions: Int
    var muted: Bool
}
