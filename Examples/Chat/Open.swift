import ArgumentParser
import Foundation
import KairanClient

/// A chat in the terminal: it shows messages of others as they arrive, and sends each typed line.
struct Open: ChatCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens a chat: a typed line is sent.",
        discussion: "/react N EMOJI reacts to the N-th message from the end, /more shows earlier ones, /mute, /unmute, "
            + "/who, /quit."
    )
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String

    func run(_ chats: Chats, _ output: Output) async throws {
        let screen = ChatScreen(chat: try await chats.chat(chat), output: output)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await screen.listen()
                return true
            }
            group.addTask { try await screen.obey(InputLines.standard) }
            // The first that ends, ends the other: the end of the input, /quit, or a zone that is gone.
            _ = try await group.next()
            group.cancelAll()
        }
    }
}

/// The lines of the standard input.
///
/// Reading blocks, so a thread of its own does it; it ends with the program.
enum InputLines {
    static var standard: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// The content of the screen of an open chat.
actor ChatScreen {
    private let chat: Chat
    private let output: Output
    private let notifications = Notifications()
    /// Names of the messages that were shown, oldest first.
    private var shown: [String] = []
    private var earliest: String?

    init(chat: Chat, output: Output) {
        self.chat = chat
        self.output = output
    }

    /// Shows the earlier messages and those that arrive from now on.
    func listen() async throws {
        for try await event in chat.zone.subscription() {
            switch event.kind {
            case .started, .expired: try await persistently { try await showLast() }
            case .event(.change(let change)): try await persistently { try await take(change) }
            case .event(.zone(let change)):
                // This is the last event of this chat.
                guard let departure = change.departure else { break }
                try output.show(
                    ["event": "gone", "reason": departure.reason.rawValue],
                    "The chat is gone: \(departure.reason)"
                )
            default: break
            }
        }
    }

    /// Tries again while the daemon is restarted; a repeated attempt omits the work already done.
    private func persistently(_ work: () async throws -> Void) async throws {
        while true {
            do {
                return try await work()
            } catch let error as KairanError where error.isRetryable {
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private func showLast() async throws {
        let all = try await chat.messages()
        let state = try await chat.state()
        // Messages that were shown already are not shown again when the token expired.
        let last = Array(all.suffix(20))
        try await show(last.filter { !shown.contains($0.name) }, state)
        earliest = earliest ?? last.first?.name
        try await chat.markRead(last)
    }

    private func show(_ messages: [TypedRecord<Message>], _ state: ChatState) async throws {
        let reactions = try await chat.reactions()
        for message in messages {
            let line = MessageLine(
                message,
                in: chat,
                state: state,
                reactions: reactions[message.name] ?? [],
                attachment: try await chat.attachment(of: message)
            )
            try output.show(line)
            shown.append(message.name)
        }
    }

    private func take(_ change: Change) async throws {
        guard change.kind == .save else { return }
        if change.record.type == Reaction.recordType {
            let reaction = try TypedRecord(change.record, as: Reaction.self).value
            let line = [
                "event": "reaction", "message": reaction.message.record, "author": reaction.nick,
                "emoji": reaction.emoji,
            ]
            try output.show(line, Output.clean("  \(reaction.nick) reacts \(reaction.emoji)"))
        }
        guard change.record.type == Message.recordType else { return }
        let message = try TypedRecord(change.record, as: Message.self)
        if !shown.contains(message.name) {
            let state = try await chat.state()
            let attachment = try await chat.attachment(of: message)
            let line = MessageLine(message, in: chat, state: state, reactions: [], attachment: attachment)
            try output.show(line)
            shown.append(message.name)
            if line.unread, !state.muted || line.mention {
                notifications.notify(chat.name, "\(line.author): \(line.text)")
            }
        }
        try await chat.markRead([message])
    }

    /// Carries out the typed lines, until the end of the input.
    func obey(_ lines: AsyncStream<String>) async throws -> Bool {
        for await line in lines {
            if line == "/quit" { break }
            do {
                try await obey(line)
            } catch let error as KairanError {
                try output.show(["event": "problem", "code": error.code, "line": line], "not done: \(error)")
            }
        }
        return true
    }

    private func obey(_ line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case nil: break
        case "/mute": try await chat.mute(true)
        case "/unmute": try await chat.mute(false)
        case "/more": try await more()
        case "/who": try await who()
        case "/react" where words.count == 3: try await react(words[1], words[2])
        case let word? where word.hasPrefix("/"):
            try output.show(
                ["event": "help"],
                "/react N EMOJI, /more, /mute, /unmute, /who, /quit; other lines are sent"
            )
        default: try await chat.send(line)
        }
    }

    private func more() async throws {
        let state = try await chat.state()
        let before = try await chat.messages().filter { message in earliest.map { message.name < $0 } ?? true }.suffix(
            20
        )
        try await show(Array(before), state)
        earliest = before.first?.name ?? earliest
    }

    private func who() async throws {
        let accounts = try await accounts()
        try output.show(
            ["event": "who", "accounts": accounts.joined(separator: " ")],
            accounts.joined(separator: "\n")
        )
    }

    private func accounts() async throws -> [String] {
        if let person = chat.person { return [person] }
        let share = try await chat.zone.share()
        return [share.owner.account] + share.participants.map(\.account)
    }

    /// Reacts to a message given by its name, or by its number from the end of the shown messages.
    private func react(_ place: String, _ emoji: String) async throws {
        let number = Int(place).map { shown.count - $0 }
        let message = number.flatMap { shown.indices.contains($0) ? shown[$0] : nil } ?? place
        try await chat.react(emoji, to: message)
    }
}
