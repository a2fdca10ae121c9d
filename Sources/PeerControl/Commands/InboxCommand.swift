import ArgumentParser
import KairanClient

/// Messages that wait here.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "List the messages that wait for you here, and finish them.",
        discussion: """
            A message is listed each time, also after a restart, until it is finished here, and never after that. Its \
            sender then sees that it was read.

            EXAMPLES:
              kairan inbox
              kairan inbox --wait
              kairan inbox finish 5f0c…
            """,
        subcommands: [InboxList.self, InboxFinish.self],
        defaultSubcommand: InboxList.self
    )

    /// Lists them.
    struct InboxList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the messages that wait; the same as without `ls`.",
            discussion: """
                Oldest first, in the order in which they came. With --json it is one array. Ctrl-C ends --wait with 130.

                EXAMPLE:
                  kairan inbox --wait --json | jq -r '.[].text'
                """
        )

        @OptionGroup var global: GlobalOptions
        @Flag(help: "Wait until a message arrives, also while the daemon is restarted.")
        var wait = false
        @Option(help: "The maximum number to show, 1 to 1000.")
        var limit = 1000

        func validate() throws {
            guard (1...1000).contains(limit) else { throw ValidationError("The limit must be 1 to 1000.") }
        }

        func run(in session: Session) async throws {
            let document =
                wait
                ? try await waiting(session)
                : try await session.client.document(.inbox(limit: limit, waitMilliseconds: 0))
            let messages = try MessageCommand.documents(document)
            if session.isJSON {
                try session.terminal.print(line: JSONValue.array(messages).encoded)
            } else {
                let list: MessageList = try DaemonClient.decode(document)
                let style = await session.styleWithNames()
                try session.terminal.print(InboxCommand.text(list.messages, style: style))
            }
        }

        /// The first answer with a message in it.
        private func waiting(_ session: Session) async throws -> [UInt8] {
            Terminal.endQuietlyOnInterrupt()
            // Reports a daemon that does not run before the command starts to wait.
            var document = try await session.client.document(.inbox(limit: limit, waitMilliseconds: 0))
            var core = InboxCore()
            while try MessageCommand.documents(document).isEmpty {
                if core.pauseMilliseconds > 0 { try await Task.sleep(for: .milliseconds(core.pauseMilliseconds)) }
                do {
                    document = try await session.client.document(
                        .inbox(limit: limit, waitMilliseconds: InboxCore.waitMilliseconds)
                    )
                    _ = core.received([])
                } catch let error as KairanError {
                    try core.failed(error)
                }
            }
            return document
        }
    }

    /// Finishes some.
    struct InboxFinish: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "finish",
            abstract: "Finish messages that were dealt with: they are not listed again here.",
            discussion: """
                EXAMPLES:
                  kairan inbox finish 5f0c… 61aa…
                  kairan inbox finish --through 12 --zone family
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: ArgumentHelp("The messages' ids, or enough of the beginning of each.", valueName: "message"))
        var messages: [String] = []
        @Option(
            help: ArgumentHelp(
                "Finish all that wait up to the one with this number, as --json shows it.",
                valueName: "number"
            )
        )
        var through: UInt64?
        @Option(help: .zoneOfMessages, completion: .zones)
        var zone: String?

        private static let idCharacterCount = 32
        /// The most messages of one request.
        private static let countMax = 1_000

        func validate() throws {
            guard messages.isEmpty != (through == nil) else {
                throw ValidationError("Name messages, or a number with --through.")
            }
            guard zone == nil || through != nil else { throw ValidationError("--zone needs --through.") }
        }

        func run(in session: Session) async throws {
            if let through {
                let count = try await session.client.finishMessages(through: through, in: zone).finished
                return try session.show(
                    ["count": .integer(Int64(count))],
                    "Finished \(Words.count(count, "message", "messages"))."
                )
            }
            let ids = try await ids(session)
            var refused: [FinishedMessages.Refusal] = []
            for start in stride(from: 0, to: ids.count, by: Self.countMax) {
                let part = Array(ids[start..<min(start + Self.countMax, ids.count)])
                refused += try await session.client.finishMessages(part).refused
            }
            let finished = ids.filter { id in !refused.contains { $0.message == id } }
            try session.show(
                ["finished": .array(finished.map { .string($0) })],
                "Finished \(Words.count(finished.count, "message", "messages"))."
            )
            if let first = refused.first { throw KairanError(.refused, problem: first.problem) }
        }

        /// The messages that are meant: a beginning stands for the only waiting one that begins so.
        private func ids(_ session: Session) async throws -> [String] {
            guard messages.contains(where: { $0.count != Self.idCharacterCount }) else { return messages }
            let waiting = try await session.client.inbox(limit: 1000).map(\.message)
            return try messages.map { text in
                if text.count == Self.idCharacterCount { return text }
                return try ChosenID(noun: "waiting message", list: "kairan inbox").choose(text, among: waiting) { $0 }
            }
        }
    }

    /// The messages that wait, for people.
    static func text(_ messages: [Message], style: Style) -> String {
        let table = MessageCommand.table(messages, ofOneZone: false, style: style)
        guard !messages.isEmpty else { return table.text(style: style, empty: "no message waits") }
        return table.text(style: style, empty: "")
            + "\n\n`kairan inbox finish MESSAGE` finishes one that was dealt with."
    }
}
