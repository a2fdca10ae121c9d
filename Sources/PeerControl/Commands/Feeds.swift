import ArgumentParser
import KairanClient

/// Shows what changed.
struct Changes: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what changed since a token.",
        discussion: """
            Each record appears once, at its newest change. Keep the token: it is good for the next call, also after \
            restarts.

            EXAMPLE:
              kairan changes notes --since TOKEN
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name; all zones by default.")
    var zone: String?
    @Option(help: "The token of an earlier call; from the beginning by default.")
    var since: String?
    @Option(help: "Show at most so many, 1 to 1000.")
    var limit = 1000

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("The limit must be 1 to 1000.") }
    }

    func run(in session: Session) async throws {
        try await session.show(.changes(zone: zone, since: since, limit: limit)) {
            Self.text($0, style: session.style)
        }
    }

    /// Changes for people.
    static func text(_ changes: ChangeSet, style: Style) -> String {
        var table = Table([.text("KIND"), .text("NAME"), .text("TYPE"), .text("MODIFIED"), .text("BY"), .text("CAME")])
        for change in changes.changes {
            let record = change.record
            table.add([
                change.kind == .delete ? Table.Cell("delete") { $0.warning($1) } : "save",
                Table.Cell(record.name), Table.Cell(record.type), Table.Cell(Words.time(record.modifiedAt)),
                Table.Cell(Words.short(record.modifiedBy)), change.bySync ? "by sync" : "from here",
            ])
        }
        let more = changes.more ? "\nThere is more behind this token." : ""
        return table.text(style: style, empty: "Nothing changed.") + "\n\n\(style.dim("token")) \(changes.token)\(more)"
    }
}

/// Shows what happens.
struct Watch: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what happens, as it happens.",
        discussion: """
            With --json the first line is a snapshot; then events follow, one a line, numbered without gaps.

            EXAMPLE:
              kairan watch notes --json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name; all zones by default.")
    var zone: String?
    @Option(help: "Resume behind this token; from now by default.")
    var since: String?

    func run(in session: Session) async throws {
        for try await document in try await session.client.eventDocuments(zone: zone, since: since) {
            try session.show(document: document) { Self.text($0, style: session.style) }
        }
    }

    /// An event for people.
    static func text(_ event: DaemonEvent, style: Style) -> String {
        switch event.kind {
        case .snapshot(let zones):
            style.dim("watching \(Words.count(zones.count, "zone", "zones")) from \(event.token ?? "now")")
        case .change(let change):
            "\(change.kind.rawValue) \(Table.visible(change.record.name)), version \(change.record.version)"
                + style.dim(change.bySync ? " by sync" : " from here")
        case .zone(let zone, let isDeleted): "zone \(Table.visible(zone.name)) \(isDeleted ? "was deleted" : "appeared")"
        case .peer(let peer): "peer \(Table.visible(peer.name)) is \(peer.state.rawValue)"
        case .sync(let report):
            "\(report.kind) \(report.kind == "export" ? "to" : "from") \(Words.short(report.peer)): "
                + Words.count(report.count, "operation", "operations")
                + (report.succeeded ? "" : style.bad(", failed: \(report.error ?? "unknown")"))
        case .end(let reason): style.warning("the daemon ended the stream: \(reason)")
        case .other(let name): style.dim(name)
        }
    }
}

/// Lists conflicts.
struct Conflicts: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "List records whose concurrent writes disagree.",
        discussion: "EXAMPLE:\n  kairan conflicts notes"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name; all zones by default.")
    var zone: String?

    func run(in session: Session) async throws {
        try await session.show(.conflicts(zone: zone)) { Self.text($0, style: session.style) }
    }

    /// Conflicts for people.
    static func text(_ conflicts: [Conflict], style: Style) -> String {
        guard !conflicts.isEmpty else { return style.dim("There are no conflicts.") }
        let blocks = conflicts.map { conflict in
            let sides = conflict.siblings.map { side($0, mark: "", style: style) }
            let ancestor = conflict.ancestor.map { [side($0, mark: " (what all started from)", style: style)] } ?? []
            let name = style.bold(Table.visible(conflict.name))
            return (["\(name)  \(style.dim("zone " + Words.short(conflict.zone)))"] + sides + ancestor)
                .joined(separator: "\n")
        }
        return blocks.joined(separator: "\n\n") + "\n\nUse kairan resolve ZONE NAME --take VERSION to choose a side."
    }

    private static func side(_ sibling: Sibling, mark: String, style: Style) -> String {
        let fields = sibling.fields.sorted { $0.key < $1.key }.map { name, value in
            "    \(Table.visible(name)) = \(Words.value(value))"
        }
        let head = "  \(sibling.version) \(style.dim("by " + Words.short(sibling.by) + mark))"
        return ([head] + fields).joined(separator: "\n")
    }
}

/// Ends a conflict.
struct Resolve: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "End a conflict with one side, or with fields of your own.",
        discussion: """
            EXAMPLES:
              kairan resolve notes n1 --take 9ab0…
              kairan resolve notes n1 --file merged.json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name.")
    var zone: String
    @Argument(help: "The record's name.")
    var name: String
    @Option(help: "The version of the side to take, as kairan conflicts shows it.")
    var take: String?
    @Option(help: "A JSON file with all fields; - for standard input.", completion: .file())
    var file: String?

    func validate() throws {
        guard (take == nil) != (file == nil) else { throw ValidationError("Give either --take or --file.") }
    }

    func run(in session: Session) async throws {
        var body: JSONValue = ["take": .string(take ?? "")]
        if let file {
            let input = try InputChunks(path: file)
            body = ["fields": try RecordFile(await input.collect(limit: 2 << 20), name: input.title).fields]
        }
        try await session.show(.resolve(name, zone: zone, body: body), as: Record.self) { record in
            "Resolved \(Table.visible(record.name)), version \(record.version)."
        }
    }
}
