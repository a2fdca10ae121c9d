import ArgumentParser
import KairanClient

/// Relays that keep parcels for devices that are off.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Use a relay for devices that are never on together, or be one.",
        discussion: """
            A relay keeps sealed parcels until the device comes that they are for. It need not be yours: it belongs to no \
            account, reads nothing, and is told neither who leaves a parcel nor for whom. Its owner starts kairand with \
            --relay and lets you in with `kairan relay admit`; you use it with what that prints.

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
            discussion: "Put the link into quotes: it has a # in it.\n\nEXAMPLE:\n  kairan relay use 'kairan://relay#…'"
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
            abstract: "List the relays that the account uses, and those of others with whom it shares zones.",
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
            abstract: "Have no device of this account use a relay any more.",
            discussion: """
                What was left there and was not taken is left with another relay, or waits for the devices to meet.

                EXAMPLE:
                  kairan relay forget 5qk3v7q2
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The relay's address, its id, or enough of the beginning of it.")
        var relay: String

        func run(in session: Session) async throws {
            let relays = try await session.client.relays()
            let choice = ChosenID(noun: "relay", list: "kairan relay ls")
            let chosen = try choice.choose(relay, among: relays, id: \.relay, name: \.address)
            try await session.client.forgetRelay(chosen.relay)
            try session.show(
                ["relay": .string(chosen.relay), "used": false],
                "The relay at \(Table.visible(chosen.address)) is not used any more."
            )
        }
    }

    /// Admits an account to the relay.
    struct RelayAdmit: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "admit",
            abstract: "Let somebody's devices leave parcels on this machine.",
            discussion: """
                It prints a link, once, which is all that they need: give it to them and to nobody else. This machine's \
                daemon has to run with --relay. Name the addresses under which it is reached from elsewhere, if these are \
                not the ones that it has.

                EXAMPLE:
                  kairan relay admit "Ada's machines" --quota 5000000000 --address relay.example.org:7620
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "For whom it is, in your words.")
        var name: String
        @Option(help: ArgumentHelp("How many bytes are kept for them at most.", valueName: "bytes"))
        var quota = 1_073_741_824
        @Option(help: ArgumentHelp("Where they reach this machine; may be given 8 times.", valueName: "host:port"))
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
            abstract: "List for whom this machine keeps parcels, and how much.",
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
            abstract: "Keep nothing for somebody any more, and delete what is kept.",
            discussion: """
                It says how much that is, and asks for the admission's name; --yes takes its place.

                EXAMPLE:
                  kairan relay dismiss 5qk3v7q2
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The admission's name, its id, or enough of the beginning of it.")
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
                "Nothing is kept for \(Table.visible(chosen.name)) any more."
            )
        }
    }

    /// An admission that was just made, for people.
    static func text(_ admission: Admission) -> String {
        """
        Keeps up to \(Words.size(admission.quotaBytes)) for \(Table.visible(admission.name)). Who has the link uses it in their \
        place, and it is not shown again: `kairan relay use` on one of their devices takes it.
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
        return table.text(style: style, empty: "no relay is used; `kairan relay use` begins with one")
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
        return table.text(style: style, empty: "nobody is admitted; `kairan relay admit` lets somebody in")
    }
}
