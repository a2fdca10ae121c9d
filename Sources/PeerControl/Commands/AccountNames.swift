import ArgumentParser
import KairanClient

extension AccountCommand {
    /// Lists the known accounts.
    struct AccountList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the accounts that are known here, with their names.",
            discussion: """
                DISPLAY NAME is the name that an account gives itself, and PETNAME the one that you give it. To name an account in a \
                command, give its petname, its display name, its id or at least the first eight characters of the id.

                EXAMPLE:
                  kairan account ls
                """
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            try await session.show(.accounts, as: [NamedAccount].self) { AccountCommand.text($0, style: session.style) }
        }
    }

    /// Shows or sets the display name.
    struct AccountName: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "name",
            abstract: "Show the account's display name, or set it.",
            discussion: """
                All accounts that meet this one see its display name, unless they gave it a petname. It proves nothing: another \
                account may choose the same name.

                EXAMPLES:
                  kairan account name
                  kairan account name "Alice Liddell"
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The new display name, 1 to 64 bytes; without it, the present one is shown.")
        var name: String?

        func run(in session: Session) async throws {
            let request = name.map(DaemonRequest.nameAccount) ?? .account
            try await session.show(request, as: Account.self) { account in
                guard let shown = account.accountName.map(Table.visible) else {
                    return "The account has no display name; `kairan account name NAME` sets one."
                }
                return name == nil ? shown : "The display name of the account is \(shown)."
            }
        }
    }

    /// Sets or removes a petname.
    struct AccountPetname: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "petname",
            abstract: "Set your own name for another account, show it, or remove it.",
            discussion: """
                A petname takes precedence over the display name that the account gives itself. It is kept on the devices of your \
                account, and no other account learns of it.

                EXAMPLES:
                  kairan account petname 3jqk7xwm "Bob from work"
                  kairan account petname "Bob from work"
                  kairan account petname "Bob from work" --remove
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .account, completion: .accounts)
        var account: String
        @Argument(help: "The petname, 1 to 64 bytes; without it, the present one is shown.")
        var petname: String?
        @Flag(help: "Remove the petname.")
        var remove = false

        func validate() throws {
            guard !remove || petname == nil else { throw ValidationError("--remove takes no petname.") }
        }

        func run(in session: Session) async throws {
            if let petname {
                try await session.show(.setPetname(of: account, petname), as: NamedAccount.self) {
                    "\(session.style.id($0.account)) has the petname \(Table.visible($0.petname ?? "")) now."
                }
            } else if remove {
                try await session.client.removePetname(of: account)
                try session.show(
                    ["account": .string(account), "petname": .null],
                    "\(Table.visible(account)) no longer has a petname."
                )
            } else {
                try await show(in: session)
            }
        }

        private func show(in session: Session) async throws {
            let document = try await session.client.document(.accounts)
            let known: [NamedAccount] = try DaemonClient.decode(document)
            let chosen = try ChosenID.account.choose(account, among: known, id: \.account, name: \.name)
            if session.isJSON {
                let rows = try RecordFile.json(document, name: "The answer").elements ?? []
                try session.terminal.print(
                    line: (rows.first { $0["account"]?.text == chosen.account } ?? .null).encoded
                )
            } else {
                let text = chosen.petname.map(Table.visible)
                try session.terminal.print(text ?? "\(session.style.id(chosen.account)) has no petname.")
            }
        }
    }

    /// The accounts for people.
    static func text(_ accounts: [NamedAccount], style: Style) -> String {
        var table = Table([.text("PETNAME"), .text("DISPLAY NAME"), .text("ACCOUNT")])
        for account in accounts {
            table.add([
                Table.Cell(account.petname ?? "–"), Table.Cell(account.displayName ?? "–"),
                Table.Cell(style.id(account.account) + (account.isThis ? " (this account)" : "")),
            ])
        }
        return table.text(style: style, empty: "no accounts")
    }
}

extension ChosenID {
    /// Accounts that are known here.
    static let account = ChosenID(noun: "account", list: "kairan account ls", takesLooks: true)
}
