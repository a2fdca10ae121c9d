import ArgumentParser
import KairanClient

/// Accounts that are shut out.
struct BlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Block an account, or list the blocked ones.",
        discussion: """
            The devices of this account refuse its devices, and no invitation admits it. It keeps its rights in zones, and uses \
            them through other accounts' devices: `kairan share revoke` ends them.

            EXAMPLES:
              kairan block 3jqk7xwm
              kairan block ls
            """,
        subcommands: [BlockAccount.self, BlockList.self],
        defaultSubcommand: BlockAccount.self
    )

    /// Shuts one out.
    struct BlockAccount: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Block an account; the same as without `add`.",
            discussion: "EXAMPLE:\n  kairan block add 3jqk7xwm"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .account, completion: .accounts)
        var account: String

        func run(in session: Session) async throws {
            let style = await session.styleWithAccounts()
            try await session.show(.block(account), as: BlockedAccount.self) {
                "Blocked \(style.account($0.account))."
            }
        }
    }

    /// Lists them.
    struct BlockList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the blocked accounts.",
            discussion: "EXAMPLE:\n  kairan block ls"
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            let style = await session.styleWithAccounts()
            try await session.show(.blocks) { BlockCommand.text($0, style: style) }
        }
    }

    /// The accounts for people.
    static func text(_ blocks: [BlockedAccount], style: Style) -> String {
        var table = Table([.text("ACCOUNT"), .text("SINCE")])
        for block in blocks {
            table.add([Table.Cell(style.account(block.account)), Table.Cell(style.time(block.since))])
        }
        return table.text(style: style, empty: "no account is blocked")
    }
}

/// Lets an account back.
struct Unblock: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Accept the devices of a blocked account again.",
        discussion: "EXAMPLE:\n  kairan unblock 3jqk7xwm"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .account, completion: .accounts)
    var account: String

    func run(in session: Session) async throws {
        let choice = ChosenID(noun: "blocked account", list: "kairan block ls", takesLooks: true)
        let id = try choice.choose(
            account,
            among: try await session.client.blocks(),
            id: \.account,
            name: \.accountName
        ).account
        try await session.client.unblock(id)
        try session.show(
            ["account": .string(id), "blocked": false],
            "Unblocked \(await session.styleWithAccounts().account(id))."
        )
    }
}
