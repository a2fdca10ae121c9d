import Foundation
import KairanClient

/// The first record of a chat; one for each zone, named ``ChatSession/name``.
struct ChatSession: RecordContent {
    static let name = "session"

    var title: String
    var createdAt: Date?
}

/// A message of a person in a chat.
///
/// It is a record, so its file is an asset of the record: the description and the thumbnail are there with the message,
/// and the content is fetched when it is wanted. A message of `docs/protocol/inbox.md` has no such field: its payload is
/// fetched by itself, and has no thumbnail.
struct Message: RecordContent {
    static let attachmentField = "attachment"

    var session: RecordReference
    var author: String
    var nick: String
    var text: String
    var sentAt: Date
    var attachment: AssetDescription?

    /// Returns a name that sorts by time, and that no other device generates in the same millisecond.
    static func newName(at time: Date) -> String {
        let digits = String(Int64(time.timeIntervalSince1970 * 1000))
        let padded = String(repeating: "0", count: max(0, 15 - digits.count)) + digits
        return "m-\(padded)-\(UUID().uuidString.prefix(8).lowercased())"
    }

    /// Returns whether the text mentions a person.
    func mentions(_ nick: String) -> Bool {
        let words = text.lowercased().split { !($0.isLetter || $0.isNumber || "@-_".contains($0)) }
        return words.contains("@" + nick.lowercased())
    }
}

/// A person's reaction to a message: a record of its own, so that two people never write the same one.
struct Reaction: RecordContent {
    var message: RecordReference
    var author: String
    var nick: String
    var emoji: String

    /// Returns a name for each message, author and emoji, so that giving a reaction twice changes nothing.
    static func name(of emoji: String, to message: String, by author: String) -> String {
        "r-\(message)-\(author.prefix(8))-\(emoji)"
    }
}

/// The person who writes on the devices of this account; in the companion zone, named ``Myself/name``.
struct Myself: RecordContent {
    static let name = "myself"

    var author: String
    var nick: String
}

/// The private state of a chat, known to this account only; in the companion zone, named like the chat's zone.
struct ChatState: RecordContent {
    /// Whether notifications are off, except for messages that mention this person.
    var muted = false
    /// Messages that were read, on any device.
    ///
    /// The set merges, so reading on two devices at once loses nothing.
    var read: Set<String> = []
    /// The name up to which all messages are regarded as read, in place of a set that grows without bound.
    var horizon = ""

    static let readCountMax = 400

    func hasRead(_ message: String) -> Bool { message <= horizon || read.contains(message) }

    mutating func markRead(_ messages: some Sequence<String>) {
        read.formUnion(messages.filter { $0 > horizon })
        guard read.count > Self.readCountMax else { return }
        // Late messages still appear as new if they are not older than the last 200.
        let oldest = read.sorted().dropLast(Self.readCountMax / 2)
        horizon = oldest.last ?? horizon
        read.subtract(oldest)
    }
}
