import ArgumentParser
import KairanClient

/// Containers.
struct ContainerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container",
        abstract: "List containers.",
        discussion: "A container holds one application's zones. It exists as soon as it has a zone.",
        subcommands: [ContainerList.self, Show.self]
    )

    /// Lists them.
    struct ContainerList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List all containers.",
            discussion: "EXAMPLE:\n  kairan container ls --json | jq '.[].container'"
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            try await session.show(.containers) { ContainerCommand.list($0, style: session.style) }
        }
    }

    /// Shows one.
    struct Show: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a container's zones by database.",
            discussion: "EXAMPLE:\n  kairan container show org.example.notes"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The container's name.", completion: .containers)
        var container: String

        func run(in session: Session) async throws {
            try await session.show(.container(container)) { ContainerCommand.detail($0, style: session.style) }
        }
    }

    /// The containers for people.
    static func list(_ containers: [ContainerSummary], style: Style) -> String {
        var table = Table([
            .text("CONTAINER"), .number("PRIVATE"), .number("SHARED"), .number("PUBLIC"), .number("RECORDS"),
            .number("BYTES"),
        ])
        for container in containers {
            let counts = Zone.DatabaseName.known.map { name in
                container.databases.first { $0.database == name }?.zones.count ?? 0
            }
            table.add(
                [Table.Cell(container.container)] + counts.map { "\($0)" }
                    + ["\(container.records)", "\(container.bytes)"]
            )
        }
        return table.text(style: style, empty: "no containers; `kairan zone create` makes the first zone of one")
    }

    /// One container for people.
    static func detail(_ container: ContainerSummary, style: Style) -> String {
        var table = Table([
            .text("DATABASE"), .text("NAME"), .text("KIND"), .number("RECORDS"), .number("BYTES"), .text("ZONE"),
        ])
        for database in container.databases {
            for zone in database.zones {
                table.add([
                    Table.Cell(database.database.rawValue), Table.Cell(zone.name), Table.Cell(zone.kind.rawValue),
                    "\(zone.records)",
                    "\(zone.bytes)", Table.Cell(style.id(zone.zone)),
                ])
            }
        }
        return table.text(style: style, empty: "no zones in this container")
    }
}
