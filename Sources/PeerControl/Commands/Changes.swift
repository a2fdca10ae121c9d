import ArgumentParser
import KairanClient

/// Shows changes.
struct Changes: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what changed since a token.",
        discussion: """
            Each record appears once, at its newest change. Keep the token: the next call of the same selection continues from \
            it, also after restarts.

            EXAMPLE:
              kairan changes notes --since TOKEN
              kairan changes --container org.example.notes --database shared
              kairan changes tasks --type Task --where 'done = false'
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zoneOrAll, completion: .zones)
    var zone: String?
    @Option(help: "Only zones of this container.", completion: .containers)
    var container: String?
    @Option(
        help: "Only zones of this database: private, shared or public.",
        completion: .list(["private", "shared", "public"])
    )
    var database: String?
    @Option(help: "Only records of this type.")
    var type: String?
    @Option(
        name: .customLong("where"),
        help: "Only records that meet this condition; \"out\" marks one that no longer does."
    )
    var condition: String?
    @Option(help: "The token of an earlier call; from the beginning by default.")
    var since: String?
    @Option(help: "The maximum number to show, 1 to 1000.")
    var limit = 1000
    @Flag(
        name: .customLong("internal"),
        help: "Also changes of internal records; the token is then for --internal too."
    )
    var showsInternal = false

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("The limit must be 1 to 1000.") }
        guard zone == nil || container == nil && database == nil else {
            throw ValidationError("Name a zone, or a container and a database.")
        }
        guard condition == nil || type != nil else { throw ValidationError("With --where, name the --type.") }
    }

    func run(in session: Session) async throws {
        let document = try await session.client.document(
            .changes(
                zone: zone,
                container: container,
                database: database,
                type: type,
                where: condition,
                since: since,
                limit: limit,
                showsInternal: showsInternal
            )
        )
        let style = await session.styleWithNames()
        try session.show(document: document) { Self.text($0, style: style) }
    }

    /// Changes for people.
    static func text(_ changes: ChangeSet, style: Style) -> String {
        var table = Table([.text("KIND"), .text("NAME"), .text("TYPE"), .text("MODIFIED"), .text("BY"), .text("CAME")])
        for change in changes.changes {
            let record = change.record
            table.add([
                change.kind == .save ? "save" : Table.Cell(change.kind.rawValue) { $0.warning($1) },
                Table.Cell(record.name), Table.Cell(record.type), Table.Cell(style.time(record.modifiedAt)),
                Table.Cell(style.device(record.modifiedBy)), change.bySync ? "by sync" : "from here",
            ])
        }
        let zones = changes.zones.map { change in
            let name = Table.visible(change.zone.name)
            return "zone \(name) " + (change.isDeleted ? style.warning(change.reason ?? "deleted") : "is here") + "\n"
        }
        let more = changes.more ? "\nMore changes follow after this token." : ""
        return zones.joined() + table.text(style: style, empty: "no changes")
            + "\n\n\(style.dim("token")) \(changes.token)\(more)"
    }
}
