import ArgumentParser
import KairanClient

/// The account.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Show, name and recover the account, name other accounts, and enrol machines.",
        subcommands: [
            Show.self, AccountList.self, AccountName.self, AccountPetname.self, RecoveryKey.self, ReplaceWords.self,
            AccountRecover.self, AccountEnrolmentToken.self,
        ]
    )

    /// Shows it.
    struct Show: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the account with its devices.",
            discussion: """
                With --full the id of the account is shown whole: compare that one, not its beginning.

                EXAMPLES:
                  kairan account show
                  kairan account show --full
                """
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            try await session.show(.account, as: Account.self) { AccountCommand.text($0, style: session.style) }
        }
    }

    /// Shows the words.
    struct RecoveryKey: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "recovery-key",
            abstract: "Show the 24 words that outrank every device.",
            discussion: """
                Write them on paper, with the beginning of the account's name, and keep it where your machines are not. A \
                person who has them controls the account. “kairan account recover” takes them.

                EXAMPLE:
                  kairan account recovery-key
                """
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            struct Phrase: Decodable { var words: [String] }
            let document = try await session.client.document(.recoveryPhrase)
            let account = session.isJSON ? "" : try await session.client.account().account
            try session.show(document: document, as: Phrase.self) {
                AccountCommand.text($0.words) + "\n\n" + session.style.dim("account") + " \(account)"
            }
        }
    }

    /// Replaces the words.
    struct ReplaceWords: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "replace-words",
            abstract: "Replace the 24 recovery words, for example after another person may have seen them.",
            discussion: """
                The command reads the present words from standard input, never from arguments, and shows the new ones, which this device \
                keeps: “kairan account recovery-key” shows them again. A device that was off accepts the old words until it learns of \
                the change; devices that joined by them there are removed then. Without the present words no new ones are made. The \
                command asks for the beginning of the account's id first; --yes takes its place.

                EXAMPLE:
                  kairan account replace-words
                """
        )

        @OptionGroup var global: GlobalOptions
        @OptionGroup var consent: ConsentOption

        func run(in session: Session) async throws {
            struct Phrase: Decodable { var words: [String] }
            try await session.confirm(consent) { .replacedWords(of: try await session.client.account()) }
            let paper = try await Paper(askedIn: session)
            let document = try await session.client.document(.replaceRecoveryWords(words: paper.words))
            let account = session.isJSON ? "" : try await session.client.account().account
            try session.show(document: document, as: Phrase.self) {
                AccountCommand.text($0.words) + "\n\n" + session.style.dim("account") + " \(account)"
            }
        }
    }

    /// The account with its devices, for people.
    static func text(_ account: Account, style: Style) -> String {
        let name = account.accountName.map { "\(style.dim("name")) \(Table.visible($0))\n" } ?? ""
        return "\(style.dim("account")) \(style.id(account.account))\n\(name)\n"
            + DeviceCommand.text(account, style: style)
    }

    /// The words for people: numbered, to be copied line by line.
    static func text(_ words: [String]) -> String {
        let width = (words.map(\.count).max() ?? 0) + 6
        let cells = words.enumerated().map { index, word in
            let number = "\(index + 1)"
            let cell = String(repeating: " ", count: max(0, 2 - number.count)) + number + " " + word
            return cell + String(repeating: " ", count: max(0, width - cell.count))
        }
        return stride(from: 0, to: cells.count, by: 4).map { start in
            let line = cells[start..<min(start + 4, cells.count)].joined()
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
