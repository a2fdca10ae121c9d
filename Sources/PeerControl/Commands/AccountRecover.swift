import ArgumentParser
import Glibc
import KairanClient

/// Makes this machine a device of the account whose words are typed.
struct AccountRecover: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Join the account of the 24 recovery words.",
        discussion: """
            The words are read from standard input, never taken as arguments. Any device of the account that is on and in \
            reach lets this one in; if every device is gone, so are the records, and the words bring nothing back. \
            Its name is not in the words: give it with --account if it is on the paper too, else compare it afterwards \
            with “kairan account show” on another device.

            EXAMPLES:
              kairan account recover --account 3jqk7xwmq2plc5ta
              kairan account recover < paper.txt
            """
    )

    @OptionGroup var global: GlobalOptions
    @Option(help: ArgumentHelp("Only this account: its id, or the first 16 characters of it.", valueName: "id"))
    var account: String?

    func run(in session: Session) async throws {
        if isatty(STDIN_FILENO) == 1 {
            session.terminal.printError("Type the 24 words, then press Enter:")
        }
        let paper = try await Paper(reading: try InputChunks(path: nil))
        session.terminal.showProgress("Looking for a device of the account …")
        defer { session.terminal.endProgress() }
        let document = try await session.client.document(
            .recoverAccount(words: paper.words, account: account ?? paper.account)
        )
        session.terminal.endProgress()
        try session.show(document: document) { Self.text($0, style: session.style) }
    }

    /// How the outcome reads.
    static func text(_ result: PairingResult, style: Style) -> String {
        """
        \(style.good("Recovered")): \(Table.visible(result.name)) (\(Words.short(result.device))) let this device in.

            account \(result.account)

        Its records arrive from now on. “kairan account show” on another device must show the same account.
        """
    }
}
