import ArgumentParser
import Foundation
import KairanClient

/// The command line.
@main
struct ChatProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kairan-chat",
        abstract: "Chats between the machines of people, through Kairan.",
        discussion: "A chat is a zone. It works offline: messages are sent when the others are connected.",
        subcommands: [
            New.self, With.self, Invite.self, Join.self, Ls.self, Open.self, Send.self, Get.self, React.self,
            History.self, Read.self, Mute.self, Unmute.self,
        ]
    )
}

struct Options: ParsableArguments {
    @Option(help: "The daemon's socket.") var socket: String?
    @Option(help: "Your name for others; stored.") var nick: String?
    @Flag(help: "Print one JSON document a line.") var json = false
}

/// A command on the chats of this account.
protocol ChatCommand: AsyncParsableCommand {
    var options: Options { get }
    func run(_ chats: Chats, _ output: Output) async throws
}

extension ChatCommand {
    mutating func run() async throws {
        let command = self
        do {
            try await Kairan.connect(socketPath: options.socket ?? SocketPath.standard) { kairan in
                let chats = try await Chats.open(kairan, nick: command.options.nick)
                try await command.run(chats, Output(isJSON: command.options.json))
            }
        } catch let error as KairanError {
            throw ChatError(error.description)
        }
    }
}

struct New: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Makes a chat and prints a link that invites others.")
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String
    @Option(help: "The number of accounts that the link admits.") var uses = 10

    func run(_ chats: Chats, _ output: Output) async throws {
        try await output.invite(to: chats.create(chat), uses: uses)
    }
}

struct With: ChatCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes or finds the chat with one person.",
        discussion:
            "Both name the other's account (`kairan status` prints their own) and have the same chat, in either order "
            + "and whether or not they are connected then. Their machines must have met, for example in another chat."
    )
    @OptionGroup var options: Options
    @Argument(help: "The other one's account, or the beginning of it.") var account: String

    func run(_ chats: Chats, _ output: Output) async throws {
        let chat = try await chats.chat(with: account)
        try output.show(["chat": chat.name, "zone": chat.zone.id], chat.name)
    }
}

struct Invite: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Prints a link that invites others to a chat of yours.")
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String
    @Option(help: "The number of accounts that the link admits.") var uses = 10

    func run(_ chats: Chats, _ output: Output) async throws {
        try await output.invite(to: chats.chat(chat), uses: uses)
    }
}

extension Output {
    func invite(to chat: Chat, uses: Int) async throws {
        let invitation = try await chat.zone.invite(.init(.write), limits: .init(uses: uses))
        try show(["chat": chat.name, "zone": chat.zone.id, "link": invitation.link], invitation.link)
    }
}

struct Join: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Joins a chat by a link.")
    @OptionGroup var options: Options
    @Argument(help: "The link.") var link: String

    func run(_ chats: Chats, _ output: Output) async throws {
        let join = try await chats.container.join(link)
        // The chat is here before its files, and so is the policy.
        if join.state == .joined { _ = try await chats.list() }
        try output.show(["state": join.state.rawValue, "zone": join.zone ?? ""], join.state.rawValue)
    }
}

struct Ls: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the chats with their unread messages.")
    @OptionGroup var options: Options

    private struct Line: Codable {
        var chat: String
        var zone: String
        var unread: Int
        var mentions: Int
        var muted: Bool
    }

    func run(_ chats: Chats, _ output: Output) async throws {
        for chat in try await chats.list() {
            let unread = try await chat.unread()
            let line = Line(
                chat: chat.name,
                zone: chat.zone.id,
                unread: unread.messages,
                mentions: unread.mentions,
                muted: unread.muted
            )
            let mark = unread.muted ? " (muted)" : ""
            try output.show(line, "\(Output.clean(chat.name)): \(line.unread) unread, \(line.mentions) for you\(mark)")
        }
    }
}

struct Send: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Sends a message to a chat.")
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String
    @Argument(help: "The text; may be left out with a file.") var text: String?
    @Option(help: "A file to send with it; the others fetch it when they want it.") var file: String?
    @Option(help: "A file of at most 16 KiB with a small picture of the file, which arrives with the message.")
    var thumbnail: String?
    @Option(help: "The media type of the file, for example image/jpeg.") var type: String?

    func validate() throws {
        guard text != nil || file != nil else { throw ValidationError("Name a text, a file with --file, or both.") }
        guard file != nil || (thumbnail == nil && type == nil) else {
            throw ValidationError("--thumbnail and --type are about the file that --file names.")
        }
    }

    func run(_ chats: Chats, _ output: Output) async throws {
        let picture = try thumbnail.map(Attachment.picture)
        let chat = try await chats.chat(chat)
        var attachment: AssetDescription?
        if let file {
            attachment = try await chat.zone.upload(fileURL: URL(filePath: file), mediaType: type, thumbnail: picture)
        }
        let message = try await chat.send(text ?? "", attachment)
        try output.show(["message": message.name], message.name)
    }
}

struct React: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Adds a reaction to a message, or withdraws it.")
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String
    @Argument(help: "The message.") var message: String
    @Argument(help: "The emoji.") var emoji: String

    func run(_ chats: Chats, _ output: Output) async throws {
        let isGiven = try await chats.chat(chat).react(emoji, to: message)
        try output.show(["given": isGiven], isGiven ? "given" : "withdrawn")
    }
}

struct History: ChatCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows messages, the newest last, and marks nothing as read."
    )
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String
    @Option(help: "How many.") var limit = 20
    @Option(help: "Only those before this message.") var before: String?

    func run(_ chats: Chats, _ output: Output) async throws {
        let chat = try await chats.chat(chat)
        let state = try await chat.state()
        let reactions = try await chat.reactions()
        let messages = try await chat.messages().filter { message in before.map { message.name < $0 } ?? true }
        for message in messages.suffix(limit) {
            let given = reactions[message.name] ?? []
            let attachment = try await chat.attachment(of: message)
            try output.show(
                MessageLine(message, in: chat, state: state, reactions: given, attachment: attachment)
            )
        }
    }
}

struct Read: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Marks all messages of a chat as read.")
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String

    func run(_ chats: Chats, _ output: Output) async throws {
        let chat = try await chats.chat(chat)
        try await chat.markRead(chat.messages())
        try output.show(try await chat.unread(), "read")
    }
}

struct Mute: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Ends notifications of a chat, except mentions of you.")
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String

    func run(_ chats: Chats, _ output: Output) async throws {
        try await chats.chat(chat).mute(true)
        try output.show(["muted": true], "muted")
    }
}

struct Unmute: ChatCommand {
    static let configuration = CommandConfiguration(abstract: "Begins notifications of a chat again.")
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String

    func run(_ chats: Chats, _ output: Output) async throws {
        try await chats.chat(chat).mute(false)
        try output.show(["muted": false], "not muted")
    }
}
