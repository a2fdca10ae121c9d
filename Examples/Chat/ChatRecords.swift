import Foundation
import KairanClient

/// What a chat begins with; one a zone, named ``ChatSession/name``.
struct ChatSession: RecordContent {
    static let name = "session"

    var title: String
    var createdAt: Date?
}

/// Something that somebody said.
struct Message: RecordContent {
    var session: RecordReference
    var author: String
    var nick: String
    var text: String
    var sentAt: Date

    /// A name that sorts by time, and that nobody else thinks of in the same millisecond.
    static func newName(at time: Date) -> String {
        let digits = String(Int64(time.timeIntervalSince1970 * 1000))
        let padded = String(repeating: "0", count: max(0, 15 - digits.count)) + digits
        return "m-\(padded)-\(UUID().uuidString.prefix(8).lowercased())"
    }

    /// Whether it speaks to somebody.
    func mentions(_ nick: String) -> Bool {
        let words = text.lowercased().split { !($0.isLetter || $0.isNumber || "@-_".contains($0)) }
        return words.contains("@" + nick.lowercased())
    }
}

/// What somebody thinks of a message: a record of its own, so that two people never write the same one.
struct Reaction: RecordContent {
    var message: RecordReference
    var author: String
    var nick: String
    var emoji: String

    /// One for each message, author and emoji: giving it twice changes nothing.
    static func name(of emoji: String, to message: String, by author: String) -> String {
        "r-\(message)-\(author.prefix(8))-\(emoji)"
    }
}

/// Who speaks on the devices of this account; in the companion zone, named ``Myself/name``.
struct Myself: RecordContent {
    static let name = "myself"

    var author: String
    var nick: String
}

/// What only this account knows of a chat; in the companion zone, named as the chat's zone.
struct ChatState: RecordContent {
    /// Not told by notifications, unless it speaks to this person.
    var muted = false
    /// Messages that were read, on any device.
    ///
    /// The set merges, so reading on two devices at once loses nothing.
    var read: Set<String> = []
    /// Messages up to this name count as read, in place of a set that grows without end.
    var horizon = ""

    static let readCountMax = 400

    func hasRead(_ message: String) -> Bool { message <= horizon || read.contains(message) }

    mutating func markRead(_ messages: some Sequence<String>) {
        read.formUnion(messages.filter { $0 > horizon })
        guard read.count > Self.readCountMax else { return }
        // Late messages are still seen as new when they are not older than the last 200.
        let oldest = read.sorted().dropLast(Self.readCountMax / 2)
        horizon = oldest.last ?? horizon
        read.subtract(oldest)
    }
}
