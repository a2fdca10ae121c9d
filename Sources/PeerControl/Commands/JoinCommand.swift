import ArgumentParser
import KairanClient

/// Zones of other accounts, by invitation.
struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Open an invitation to a zone of another account.",
        discussion: """
            The command waits a short time for a device of the inviting account to answer, and the daemon keeps trying afterwards; \
            then it waits for the zone's records, as `kairan help join open` describes. Opening the link again shows the state. Put \
            the link in quotes: it contains a #. A zone in which another account granted you a right is offered: `kairan join ls` \
            lists it, and its id joins it. A link to a public zone, kairan://zone#…, opens it at once, without a request.

            EXAMPLES:
              kairan join 'kairan://join#…'
              kairan join ls
            """,
        subcommands: [JoinOpen.self, JoinList.self, JoinForget.self],
        defaultSubcommand: JoinOpen.self
    )

    /// Lists the opened invitations.
    struct JoinList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List opened invitations that wait for an answer, and zones that are offered.",
            discussion: "EXAMPLE:\n  kairan join ls"
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            let style = await session.styleWithAccounts()
            try await session.show(.joins) { JoinCommand.text($0, style: style) }
        }
    }

    /// Gives one up.
    struct JoinForget: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "Abandon an opened invitation.",
            discussion: "EXAMPLE:\n  kairan join forget 5qk3v7q2"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The invitation's id, or enough of its beginning.")
        var invite: String

        func run(in session: Session) async throws {
            let choice = ChosenID(noun: "opened invitation", list: "kairan join ls")
            let id = try choice.choose(invite, among: try await session.client.joins().map(\.invite)) { $0 }
            try await session.client.forgetJoin(id)
            try session.show(["invite": .string(id), "forgotten": true], "Abandoned.")
        }
    }

    /// The opened invitations for people.
    static func text(_ joins: [OpenJoin], style: Style) -> String {
        var table = Table([
            .text("INVITATION"), .text("FROM"), .text("OPENED"), .text("WAITS FOR"), .text("ZONE"),
        ])
        for join in joins {
            table.add([
                Table.Cell(style.id(join.invite)), Table.Cell(style.account(join.account)),
                Table.Cell(style.time(join.openedAt)), Table.Cell(waiting(join.state.rawValue)),
                Table.Cell(join.zoneName ?? ""),
            ])
        }
        return table.text(style: style, empty: "no invitation waits for an answer")
    }

    /// The account and devices that the command waits for.
    static func waiting(_ state: String) -> String {
        switch OpenJoin.State(rawValue: state) {
        case .offered: "you (kairan join)"
        case .transferOffered: "you (kairan share accept)"
        case .waitingApproval: "an approval"
        default: "the inviting device"
        }
    }
}
