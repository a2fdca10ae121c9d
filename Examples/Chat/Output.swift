import Foundation
import KairanClient

/// A line of `--json`.
struct MessageLine: Codable {
    var event = "message"
    var chat: String
    var message: String
    var author: String
    var text: String
    var sentAt: String
    var own: Bool
    var unread: Bool
    var mention: Bool
    var reactions: [String: [String]]
    var attachment: Attachment?

    enum CodingKeys: String, CodingKey {
        case event, chat, message, author, text, own, unread, mention, reactions, attachment
        case sentAt = "sent_at"
    }

    init(
        _ message: TypedRecord<Message>,
        in chat: Chat,
        state: ChatState,
        reactions: [Reaction],
        attachment: Attachment?
    ) {
        self.chat = chat.name
        self.message = message.name
        self.author = message.value.nick
        self.text = message.value.text
        self.sentAt = message.value.sentAt.ISO8601Format()
        self.own = message.value.author == chat.chats.myself.author
        self.unread = chat.isUnread(message, state)
        self.mention = message.value.mentions(chat.chats.myself.nick)
        self.reactions = Dictionary(grouping: reactions, by: \.emoji).mapValues { $0.map(\.nick).sorted() }
        self.attachment = attachment
    }

    /// The text for people.
    var line: String {
        let given = reactions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.joined(separator: ", "))" }
        let tail = given.isEmpty ? "" : "   [" + given.joined(separator: " · ") + "]"
        let file = attachment.map { "  (\($0.text))" } ?? ""
        return Output.clean("\(unread ? "*" : " ") \(sentAt.prefix(16))  \(author): \(text)\(file)\(tail)")
    }
}

struct Output {
    let isJSON: Bool

    func show(_ message: MessageLine) throws { try show(message, message.line) }

    func show(_ value: some Encodable, _ text: @autoclosure () -> String) throws {
        guard isJSON else {
            line(text())
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Written at once, also into a pipe.
    func line(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Removes characters that would control the terminal, because the text comes from another person.
    static func clean(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control,
                        .format where scalar != "\u{200D}":
                        " "
                    default: scalar
                    }
                }
            )
        )
    }
}
