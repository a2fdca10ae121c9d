import ArgumentParser
import FoundationEssentials
import KairanClient

/// Sends a message.
struct Send: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a message to whoever may read a zone.",
        discussion: """
            Without a text and --file it says what stands on the standard input, byte for byte; at most 16 KiB. It is on disk \
            when the command ends, and goes out as soon as somebody is there: `kairan message show` tells what became of it.

            EXAMPLES:
              kairan send family "Dinner is ready"
              kairan send family "For you" --to 3jqk7xwmq2ab4cde --expires 2d
              kairan send family --file photo.png --content-type image/png
              uptime | kairan send servers
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id, its unique name, or CONTAINER/NAME.")
    var zone: String
    @Argument(help: "What it says.")
    var text: String?
    @Option(help: "Send what is in a file; - for standard input.", completion: .file())
    var file: String?
    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "Only for this account, by its id or its first 16 characters or more; may be repeated.",
            valueName: "account"
        )
    )
    var recipients: [String] = []
    @Option(
        help: ArgumentHelp("The media type; by default plain text, or bytes of any kind.", valueName: "type")
    )
    var contentType: String?
    @Option(
        name: .customLong("reply-to"),
        help: ArgumentHelp("The message that it answers.", valueName: "message")
    )
    var answered: String?
    @Option(
        name: .customLong("edit"),
        help: ArgumentHelp("Your message in whose place it is.", valueName: "message")
    )
    var edited: String?
    @Option(
        name: .customLong("react"),
        help: ArgumentHelp("The message that it is a short reaction to.", valueName: "message")
    )
    var reacted: String?
    @Option(help: ArgumentHelp("When it is gone: 1m to 3650d; it stays by default.", valueName: "time"))
    var expires: Lifetime?

    /// The most that a message says.
    private static let byteCountMax = 16 << 10

    func validate() throws {
        guard text == nil || file == nil else { throw ValidationError("Give a text or --file, not both.") }
        guard [answered, edited, reacted].compactMap({ $0 }).count <= 1 else {
            throw ValidationError("Give one of --reply-to, --edit and --react.")
        }
        guard (60...315_360_000).contains(expires?.seconds ?? 60) else {
            throw ValidationError("A message is gone after 1m to 3650d.")
        }
    }

    func run(in session: Session) async throws {
        let message = OutgoingMessage(
            try Self.content(await bytes(), contentType: contentType),
            contentType: contentType,
            to: recipients,
            reference: reference,
            seconds: expires?.seconds
        )
        try await session.show(.send(message, in: zone)) { MessageCommand.sent($0) }
    }

    private var reference: OutgoingMessage.Reference? {
        if let answered { return .reply(to: answered) }
        if let edited { return .edit(of: edited) }
        if let reacted { return .reaction(to: reacted) }
        return nil
    }

    /// What it says: the text, a file, or the standard input.
    private func bytes() async throws -> [UInt8] {
        let fix = "Send less, or save a record and send its name."
        if let text {
            guard text.utf8.count <= Self.byteCountMax else {
                throw InputError(detail: "The text has more than \(Self.byteCountMax) bytes.", fix: fix)
            }
            return Array(text.utf8)
        }
        guard file != nil || !Terminal.isInputTerminal else {
            throw ValidationError("There is nothing to send: give a text, or --file, or redirect the standard input.")
        }
        let input = try InputChunks(path: file)
        let bytes = try await input.collect(limit: Self.byteCountMax, fix: fix)
        guard !bytes.isEmpty else {
            throw InputError(detail: "\(input.title) is empty.", fix: "Give something to send.")
        }
        return bytes
    }

    /// Bytes as a message says them: as text where they are text and nobody says otherwise.
    static func content(_ bytes: [UInt8], contentType: String?) -> OutgoingMessage.Content {
        if contentType?.lowercased().hasPrefix("text/") ?? true,
            let text = String(validating: bytes, as: UTF8.self)
        {
            return .text(text)
        }
        return .data(Data(bytes))
    }
}
