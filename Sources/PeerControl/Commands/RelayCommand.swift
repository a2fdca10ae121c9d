import ArgumentParser
import KairanClient

/// Relays that keep parcels for devices that are off.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Use a relay for devices that are never on together, or operate one.",
        discussion: """
            A relay keeps sealed parcels until their recipient collects them. It need not be yours: it belongs to no account, \
            cannot read parcels, and learns neither the sender nor the recipient of one. Its owner starts kairand with --relay \
            and admits you with `kairan relay admit`; you use it with the link that this prints.

            EXAMPLES:
              kairan relay admit "Ada's machines" --quota 5000000000
              kairan relay use 'kairan://relay#…'
              kairan relay ls
            """,
        subcommands: [
            RelayUse.self, RelayList.self, RelayForget.self, RelayAdmit.self, RelayUsage.self, RelayDismiss.self,
        ]
    )

    /// Uses one.
    struct RelayUse: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "use",
            abstract: "Have all devices of this account use a relay.",
            discussion: "Put the link in quotes: it contains a #.\n\nEXAMPLE:\n  kairan relay use 'kairan://relay#…'"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The link that the relay's owner gave you.")
        var link: String

        func run(in session: Session) async throws {
            try await session.show(.useRelay(link), as: Relay.self) {
                "All devices of this account use the relay at \(Table.visible($0.address)) (\($0.state.rawValue))."
            }
        }
    }

    /// Lists the relays in use.
    struct RelayList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the relays that the account uses, and those of accounts that share zones with it.",
            discussion: "EXAMPLE:\n  kairan relay ls"
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            let style = await session.styleWithAccounts()
            try await session.show(.relays, as: [Relay].self) { RelayCommand.text($0, style: style) }
        }
    }

    /// Uses one no more.
    struct RelayForget: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "End the use of a relay by all devices of this account.",
            discussion: """
                Parcels that wait there are left with another relay, or wait until the devices meet.

                EXAMPLE:
                  kairan relay forget 5qk3v7q2
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The relay's address, its id, or the beginning of the id.")
        var relay: String

        func run(in session: Session) async throws {
            let relays = try await session.client.relays()
            let choice = ChosenID(noun: "relay", list: "kairan relay ls")
            let chosen = try choice.choose(relay, among: relays, id: \.relay, name: \.address)
            try await session.client.forgetRelay(chosen.relay)
            try session.show(
                ["relay": .string(chosen.relay), "used": false],
                "The relay at \(Table.visible(chosen.address)) is no longer used."
            )
        }
    }

    /// Admits an account to the relay.
    struct RelayAdmit: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "admit",
            abstract: "Admit an account, which may leave parcels on this machine.",
            discussion: """
                The command prints a link, once, which is all that the account needs: give it to that account only. This machine's \
                daemon has to run with --relay. Name the addresses under which it is reached from other networks, if these are \
                not its own.

                EXAMPLE:
                  kairan relay admit "Ada's machines" --quota 5000000000 --address relay.example.org:7620
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "A name for the admission, in your words.")
        var name: String
        @Option(help: ArgumentHelp("The maximum number of bytes that are kept under it.", valueName: "bytes"))
        var quota = 1_073_741_824
        @Option(
            help: ArgumentHelp("An address of this machine for the link; may be given 8 times.", valueName: "host:port")
        )
        var address: [String] = []

        func validate() throws {
            guard (1...255).contains(name.utf8.count) else { throw ValidationError("A name has 1 to 255 bytes.") }
            guard (1_048_576...9_007_199_254_740_991).contains(quota) else {
                throw ValidationError("A quota is a number of bytes, 1048576 at least.")
            }
            guard address.count <= 8 else { throw ValidationError("A link names at most 8 addresses.") }
        }

        func run(in session: Session) async throws {
            let document = try await session.client.document(.admit(name, quota: quota, addresses: address))
            if session.isJSON {
                try session.terminal.print(line: document)
            } else {
                let admission: Admission = try DaemonClient.decode(document)
                // Alone on the standard output, so that it can be redirected.
                try session.terminal.print(admission.link ?? "")
                session.terminal.printError(RelayCommand.text(admission))
            }
        }
    }

    /// Lists the admissions.
    struct RelayUsage: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "usage",
            abstract: "List the admissions of this machine, and the parcels under each.",
            discussion: "EXAMPLE:\n  kairan relay usage"
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            try await session.show(.admissions, as: [Admission].self) {
                RelayCommand.text($0, style: session.style)
            }
        }
    }

    /// Ends an admission.
    struct RelayDismiss: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "dismiss",
            abstract: "End an admission, and delete the parcels under it.",
            discussion: """
                The command shows how much that is, and asks for the admission's name; --yes takes its place.

                EXAMPLE:
                  kairan relay dismiss 5qk3v7q2
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The admission's name, its id, or the beginning of the id.")
        var admission: String
        @OptionGroup var consent: ConsentOption

        func run(in session: Session) async throws {
            let admissions = try await session.client.admissions()
            let choice = ChosenID(noun: "admission", list: "kairan relay usage")
            let chosen = try choice.choose(admission, among: admissions, id: \.admission, name: \.name)
            try await session.confirm(consent) { .dismissal(of: chosen) }
            try await session.client.dismiss(chosen.admission)
            try session.show(
                ["admission": .string(chosen.admission), "admitted": false],
                "The admission of \(Table.visible(chosen.name)) has ended."
            )
        }
    }

    /// An admission that was just made, for people.
    static func text(_ admission: Admission) -> String {
        """
        Keeps up to \(Words.size(admission.quotaBytes)) for \(Table.visible(admission.name)). Any account that has the link can use \
        it, and it is not shown again: run `kairan relay use` with it on one of the account's devices.
        """
    }

    /// The relays for people.
    static func text(_ relays: [Relay], style: Style) -> String {
        var table = Table([
            .text("RELAY"), .text("ADDRESS"), .text("STATE"), .text("OF"), .number("STORED"), .number("QUOTA"),
            .text("BACKEND"), .number("WAITING"), .text("SINCE"),
        ])
        for relay in relays {
            table.add([
                Table.Cell(style.id(relay.relay)),
                Table.Cell(relay.address),
                state(relay.state),
                Table.Cell(relay.own ? "this account" : relay.accounts.map(style.account).joined(separator: ", ")),
                Table.Cell(relay.storedBytes.map(Words.size) ?? "–"),
                Table.Cell(relay.quotaBytes.map(Words.size) ?? "–"),
                Table.Cell(relay.backend ?? "–"),
                Table.Cell("\(relay.waiting)"),
                Table.Cell(relay.since.map(style.time) ?? "–"),
            ])
        }
        return table.text(style: style, empty: "no relay is used; `kairan relay use` adds one")
    }

    private static func state(_ state: Relay.State) -> Table.Cell {
        switch state {
        case .connected: Table.Cell("connected") { $0.good($1) }
        case .connecting: Table.Cell("connecting") { $0.dim($1) }
        case .unreachable: Table.Cell("unreachable") { $0.warning($1) }
        case .full: Table.Cell("full") { $0.warning($1) }
        case .refused: Table.Cell("refused") { $0.bad($1) }
        }
    }

    /// The admissions for people.
    static func text(_ admissions: [Admission], style: Style) -> String {
        var table = Table([
            .text("ADMISSION"), .text("NAME"), .number("PARCELS"), .number("STORED"), .number("QUOTA"),
            .number("PASSES"), .number("UNDER THEM"), .text("BACKEND"), .text("SINCE"),
        ])
        for admission in admissions {
            table.add([
                Table.Cell(style.id(admission.admission)),
                Table.Cell(admission.name),
                Table.Cell("\(admission.parcels)"),
                Table.Cell(Words.size(admission.storedBytes)),
                Table.Cell(Words.size(admission.quotaBytes)),
                Table.Cell("\(admission.passes)"),
                Table.Cell(Words.size(admission.passBytes)),
                Table.Cell(admission.backend),
                Table.Cell(style.time(admission.since)),
            ])
        }
        return table.text(style: style, empty: "no account is admitted; `kairan relay admit` admits one")
    }
}
