import ArgumentParser
import FoundationEssentials
import KairanClient

/// Sends a message.
struct Send: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a message to the readers of a zone.",
        discussion: """
            Without a text and --file the content is read from the standard input, byte for byte; less than 16 GiB. The message is \
            on disk when the command ends, and is sent as soon as a recipient is connected: `kairan message show` shows its \
            state. Recipients fetch content of more than 16 KiB separately, and have the message in the inbox once all of it \
            has arrived; `kairan message get` writes it to a file. Another message is named by its id, or by at least the first \
            eight characters of it.

            EXAMPLES:
              kairan send family "Dinner is ready"
              kairan send family "For you" --to 3jqk7xwmq2ab4cde --expires 2d
              kairan send family --file photo.png --content-type image/png
              uptime | kairan send servers
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Argument(help: "The text of the message.")
    var text: String?
    @Option(help: "Send the content of a file; - for standard input.", completion: .file())
    var file: String?
    @Option(
        name: .customLong("to"),
        help: .account("Only for this account", rest: "; may be repeated")
    )
    var recipients: [String] = []
    @Option(
        help: ArgumentHelp("The media type; by default plain text, or bytes of any kind.", valueName: "type")
    )
    var contentType: String?
    @Option(
        name: .customLong("reply-to"),
        help: .message("The message that it answers")
    )
    var answered: String?
    @Option(
        name: .customLong("edit"),
        help: .message("Your message that it replaces")
    )
    var edited: String?
    @Option(
        name: .customLong("react"),
        help: .message("The message that it is a short reaction to")
    )
    var reacted: String?
    @Option(help: ArgumentHelp("The time after which it expires: 1m to 3650d; never by default.", valueName: "time"))
    var expires: Lifetime?

    /// The maximum size of content in the record of a message; larger content is uploaded before.
    private static let recordByteCountMax = 16 << 10
    /// The maximum size of a message's content; the daemon refuses more as well, but only once it has received that
    /// much.
    private static let byteCountMax = (1 << 34) - 1

    func validate() throws {
        guard text == nil || file == nil else { throw ValidationError("Give a text or --file, not both.") }
        guard [answered, edited, reacted].compactMap({ $0 }).count <= 1 else {
            throw ValidationError("Give one of --reply-to, --edit and --react.")
        }
        guard (60...315_360_000).contains(expires?.seconds ?? 60) else {
            throw ValidationError("A message expires after 1m to 3650d.")
        }
    }

    func run(in session: Session) async throws {
        // Before a large content is uploaded for nothing.
        let reference = try await reference(session)
        let (content, type) = try await content(session)
        let message = OutgoingMessage(
            content,
            contentType: type,
            to: recipients,
            reference: reference,
            seconds: expires?.seconds
        )
        try await session.show(.send(message, in: zone)) { MessageCommand.sent($0, style: session.style) }
    }

    private func reference(_ session: Session) async throws -> OutgoingMessage.Reference? {
        if let answered { return .reply(to: try await MessageCommand.id(answered, in: zone, session)) }
        if let edited { return .edit(of: try await MessageCommand.id(edited, in: zone, session)) }
        if let reacted { return .reaction(to: try await MessageCommand.id(reacted, in: zone, session)) }
        return nil
    }

    /// Returns the content of the message: the text, a file, or the standard input.
    private func content(_ session: Session) async throws -> (content: OutgoingMessage.Content, type: String?) {
        if let text { return try await content(Array(text.utf8), nil, size: text.utf8.count, session) }
        guard file != nil || !Terminal.isInputTerminal else {
            throw ValidationError("There is nothing to send: give a text, or --file, or redirect the standard input.")
        }
        let input = try InputChunks(path: file)
        let size = input.restByteCount
        guard size ?? 0 <= Self.byteCountMax else {
            throw InputError(
                detail: "\(input.title) has more than \(Self.byteCountMax) bytes.",
                fix: "Divide it into several messages."
            )
        }
        let bytes = try await input.beginning(byteCount: Self.recordByteCountMax + 1)
        guard !bytes.isEmpty else {
            throw InputError(detail: "\(input.title) is empty.", fix: "Give a text or a file with content.")
        }
        return try await content(bytes, input, size: size, session)
    }

    /// Returns the content to send; uploads it first if it is too large for the message's record.
    private func content(
        _ bytes: [UInt8],
        _ rest: InputChunks?,
        size: Int?,
        _ session: Session
    ) async throws -> (content: OutgoingMessage.Content, type: String?) {
        guard bytes.count > Self.recordByteCountMax else {
            return (Self.content(bytes, contentType: contentType), contentType)
        }
        let display = SharedProgress(ProgressDisplay(session))
        let input = LargeInput(bytes, rest) { byteCount in
            display.show { ProgressBar("Uploaded", byteCount, of: size, seconds: $0).text }
        }
        defer { display.end() }
        let payload = try await session.client.handIn(input, in: zone)
        return (.payload(payload.payload), contentType ?? (input.isText ? "text/plain; charset=utf-8" : nil))
    }

    /// Converts bytes to the content of a message: to text if they are UTF-8 and the content type does not say
    /// otherwise.
    static func content(_ bytes: [UInt8], contentType: String?) -> OutgoingMessage.Content {
        if contentType?.lowercased().hasPrefix("text/") ?? true,
            let text = String(validating: bytes, as: UTF8.self)
        {
            return .text(text)
        }
        return .data(Data(bytes))
    }
}
