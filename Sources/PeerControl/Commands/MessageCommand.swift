import ArgumentParser
import KairanClient

/// Messages that were sent and that came.
struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "List the messages of a zone, show one's state, and write its content.",
        discussion: "`kairan inbox` lists the messages that wait for you here; `kairan send` sends one.",
        subcommands: [MessageListing.self, MessageShow.self, MessageGet.self]
    )

    /// Lists the messages of a zone.
    struct MessageListing: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the messages of a zone in the order in which they came.",
            discussion: "With --json it is one array.\n\nEXAMPLE:\n  kairan message ls family --limit 20"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Option(help: "Start after the message with this number, as --json shows it.")
        var after: UInt64?
        @Option(help: "The maximum number to show; all by default.")
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
                let style = await session.styleWithAccounts()
                try session.terminal.print(MessageCommand.list(messages, style: style))
            }
        }
    }

    /// Shows one.
    struct MessageShow: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a message, and its state on each device that it is for.",
            discussion: """
                At least the first eight characters of the id are needed.

                queued: the device has not acknowledged it. relayed: a relay keeps it for the device. delivered: the device has it \
                and can read it. read: a program there has finished it. failed: the device has it and cannot open it. unconfirmed: \
                the device may not write in the zone, so it cannot send a receipt.

                EXAMPLE:
                  kairan message show 5f0c…
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .message)
        var message: String

        func run(in session: Session) async throws {
            let id = try await MessageCommand.id(message, session)
            let document = try await session.client.document(.message(id))
            let names = session.isJSON ? [:] : await MessageCommand.names(session.client)
            let style = await session.styleWithAccounts()
            try session.show(document: document) { MessageCommand.text($0, names: names, style: style) }
        }
    }

    /// Writes the content of a message.
    struct MessageGet: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Write the content of a message to the standard output, or to a file.",
            discussion: """
                At least the first eight characters of the id are needed. The content is written byte for byte; to a terminal only \
                text, in which control characters are made visible. A file is called FILE.part until it is complete, and replaces \
                an existing one.

                EXAMPLES:
                  kairan message get 5f0c… --output photo.png
                  kairan message get 5f0c… | tar xz
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .message)
        var message: String
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "Write it to this file; - for the standard output, also where that is a terminal.",
                valueName: "file"
            ),
            completion: .file()
        )
        var output: String?

        private var isForFile: Bool { output != nil && output != "-" }

        func validate() throws {
            guard output != "" else { throw ValidationError("The name of the file is empty.") }
            guard isForFile || !global.json else { throw ValidationError("With --json name a file: --output.") }
        }

        func run(in session: Session) async throws {
            let id = try await MessageCommand.id(message, session)
            let content = try await session.client.content(ofMessage: id)
            if isForFile, let output {
                try await write(content, of: id, to: output, session)
            } else if output == nil, session.terminal.isOutputTerminal {
                try await session.terminal.show(content, type: content.contentType, size: content.size)
            } else {
                for try await piece in content { try session.terminal.print(raw: Array(piece)) }
            }
        }

        private func write(
            _ content: MessageContent,
            of id: String,
            to path: String,
            _ session: Session
        ) async throws {
            let file = try PartFile(path: path)
            var byteCount = 0
            var display = ProgressDisplay(session)
            defer { display.end() }
            for try await piece in content {
                try file.write(Array(piece))
                byteCount += piece.count
                display.show { ProgressBar("Written", byteCount, of: content.size, seconds: $0).text }
            }
            try file.finish()
            display.end()
            try session.show(
                [
                    "message": .string(id), "file": .string(path), "size": .integer(Int64(byteCount)),
                    "content_type": .string(content.contentType),
                ],
                "Written to \(Table.visible(path)): \(Words.count(byteCount, "byte", "bytes"))."
            )
        }
    }

    /// The messages of a list as they were received.
    static func documents(_ document: [UInt8]) throws -> [JSONValue] {
        try RecordFile.json(document, name: "The answer")["messages"]?.elements ?? []
    }
}
