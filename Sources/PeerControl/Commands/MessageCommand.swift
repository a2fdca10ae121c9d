import ArgumentParser
import KairanClient

/// Messages that were sent and that came.
struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "List the messages of a zone, and tell what became of one.",
        discussion: "What waits for you here is in `kairan inbox`; `kairan send` sends one.",
        subcommands: [MessageListing.self, MessageShow.self]
    )

    /// Lists those of a zone.
    struct MessageListing: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the messages of a zone in the order in which they came.",
            discussion: "With --json it is one array.\n\nEXAMPLE:\n  kairan message ls family --limit 20"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The zone's id, its unique name, or CONTAINER/NAME.")
        var zone: String
        @Option(help: "Start behind the message with this number, as --json shows it.")
        var after: UInt64?
        @Option(help: "Show at most so many; all by default.")
        var limit: Int?

        private static let pageCount = 500

        func validate() throws {
            if let limit, limit < 1 { throw ValidationError("The limit must be at least 1.") }
        }

        func run(in session: Session) async throws {
            var rest = limit ?? .max
            var next = after
            var isMore = true
            var documents: [JSONValue] = []
            var messages: [Message] = []
            while isMore, rest > 0 {
                let request = DaemonRequest.messages(in: zone, after: next, limit: min(rest, Self.pageCount))
                let document = try await session.client.document(request)
                let page: MessageList = try DaemonClient.decode(document)
                if session.isJSON {
                    documents += try MessageCommand.documents(document)
                } else {
                    messages += page.messages
                }
                rest -= page.messages.count
                next = page.next
                isMore = page.next != nil
            }
            if session.isJSON {
                try session.terminal.print(line: JSONValue.array(documents).encoded)
            } else {
                try session.terminal.print(MessageCommand.list(messages, style: session.style))
            }
        }
    }

    /// Shows one.
    struct MessageShow: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a message, and what became of it on each device that it is for.",
            discussion: """
                queued: the device has not said that it has it. delivered: it has it and can read it. read: a program there has \
                finished it. failed: it has it and cannot open it. unconfirmed: it may not write in the zone, so it cannot say.

                EXAMPLE:
                  kairan message show 5f0c…
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The message's id.")
        var message: String

        func run(in session: Session) async throws {
            try await session.show(.message(message)) { MessageCommand.text($0, style: session.style) }
        }
    }

    /// The messages of a list as they were received.
    static func documents(_ document: [UInt8]) throws -> [JSONValue] {
        try RecordFile.json(document, name: "The answer")["messages"]?.elements ?? []
    }
}
