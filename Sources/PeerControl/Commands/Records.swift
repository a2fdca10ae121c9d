import ArgumentParser
import KairanClient

/// Saves a record.
struct Put: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create or change a record.",
        discussion: """
            name=text sets text, name:=json any other value: numbers, true, lists, or {"$date": "2026-07-21T09:30:00Z"}. \
            Fields that are not named stay as they are.

            EXAMPLES:
              kairan put notes n1 --type Note title=Milk amount:=2
              kairan put notes n1 done:=true --if-version 4f1c…
              kairan put notes n1 --file note.json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name.")
    var zone: String
    @Argument(help: "The record's name.")
    var name: String
    @Argument(help: "Fields: name=text or name:=json.")
    var fields: [String] = []
    @Option(help: "The record's type.")
    var type: String?
    @Option(help: "Only if this is its version; an empty one: only if it does not exist.")
    var ifVersion: String?
    @Option(help: "Take the fields from a JSON file; - for standard input.", completion: .file())
    var file: String?
    @Option(name: .customLong("unset"), help: "Remove a field; may be repeated.")
    var removed: [String] = []
    @Flag(help: "Drop the fields that are not named.")
    var replace = false

    func validate() throws {
        guard fields.isEmpty || file == nil else { throw ValidationError("Give fields or --file, not both.") }
        _ = try FieldArguments.parse(fields)
    }

    func run(in session: Session) async throws {
        var type = type.map(JSONValue.string)
        var content = try FieldArguments.parse(fields)
        if let file {
            let input = try InputChunks(path: file)
            let record = try RecordFile(await input.collect(limit: 2 << 20), name: input.title)
            type = type ?? record.type
            content = record.fields
        }
        var members = [JSONMember("fields", content)]
        if let type { members.append(JSONMember("type", type)) }
        if let ifVersion { members.append(JSONMember("if_version", .string(ifVersion))) }
        if !removed.isEmpty { members.append(JSONMember("remove", .array(removed.map { .string($0) }))) }
        if replace { members.append(JSONMember("replace", true)) }
        try await session.show(.put(name, zone: zone, body: .object(members)), as: Record.self) { record in
            "Saved \(Table.visible(record.name)), version \(record.version)."
        }
    }
}

/// Shows a record.
struct Get: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a record.",
        discussion: "EXAMPLE:\n  kairan get notes n1 --json | jq .fields"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name.")
    var zone: String
    @Argument(help: "The record's name.")
    var name: String

    func run(in session: Session) async throws {
        try await session.show(.record(name, zone: zone)) { Self.text($0, style: session.style) }
    }

    /// A record for people.
    static func text(_ record: Record, style: Style) -> String {
        let fields = record.fields.sorted { $0.key < $1.key }.map { ($0.key, Words.value($0.value)) }
        let width = (fields.map(\.0.count).max() ?? 0) + 2
        var lines = ["\(style.bold(Table.visible(record.name)))  \(style.dim(Table.visible(record.type)))"]
        lines += fields.map { name, value in
            "  " + Table.visible(name) + String(repeating: " ", count: width - name.count) + value
        }
        lines.append(
            style.dim(
                "version \(record.version), written by \(Words.short(record.modifiedBy)) at \(Words.time(record.modifiedAt))"
            )
        )
        if record.conflicts > 0 {
            let count = Words.count(record.conflicts, "field has", "fields have")
            lines.append(style.warning("\(count) concurrent values that disagree: see kairan conflicts."))
        }
        return lines.joined(separator: "\n")
    }
}

/// Lists records.
struct List: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the records of a zone by name.",
        discussion: "With --json it is one array.\n\nEXAMPLE:\n  kairan ls notes --limit 20"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name.")
    var zone: String
    @Option(help: "Start behind this name.")
    var after: String?
    @Option(help: "Show at most so many; all by default.")
    var limit: Int?

    private static let pageCount = 500

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("The limit must be at least 1.") }
    }

    func run(in session: Session) async throws {
        var rest = limit ?? .max
        var next = after
        var table = Table([.text("NAME"), .text("TYPE"), .text("MODIFIED"), .text("BY"), .text("CONFLICTS")])
        var isFirst = true
        repeat {
            let request = DaemonRequest.records(zone: zone, after: next, limit: min(rest, Self.pageCount))
            let document = try await session.client.document(request)
            let page: (count: Int, next: String?)
            if session.isJSON {
                page = try Self.print(document, isFirst: isFirst, on: session.terminal)
            } else {
                let records: RecordPage = try DaemonClient.decode(document)
                for record in records.records { table.add(Self.row(record)) }
                page = (records.records.count, records.next)
            }
            isFirst = isFirst && page.count == 0
            rest -= page.count
            next = page.next
        } while next != nil && rest > 0
        if session.isJSON {
            try session.terminal.print(isFirst ? "[]" : "]")
        } else {
            try session.terminal.print(table.text(style: session.style, empty: "The zone has no records."))
        }
    }

    /// Prints the records of a page as a part of one array.
    private static func print(
        _ document: [UInt8],
        isFirst: Bool,
        on terminal: Terminal
    ) throws -> (count: Int, next: String?) {
        let json = try RecordFile.json(document, name: "The answer")
        let records = json["records"]?.elements ?? []
        var bytes: [UInt8] = []
        for (index, record) in records.enumerated() {
            bytes += (isFirst && index == 0 ? "[" : ",\n").utf8
            record.write(into: &bytes)
        }
        try terminal.print(raw: bytes)
        return (records.count, json["next"]?.text)
    }

    private static func row(_ record: Record) -> [Table.Cell] {
        [
            Table.Cell(record.name), Table.Cell(record.type), Table.Cell(Words.time(record.modifiedAt)),
            Table.Cell(Words.short(record.modifiedBy)),
            record.conflicts > 0 ? Table.Cell("\(record.conflicts)") { $0.warning($1) } : "",
        ]
    }
}

/// Deletes a record.
struct Remove: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Delete a record.",
        discussion: "EXAMPLE:\n  kairan rm notes n1"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name.")
    var zone: String
    @Argument(help: "The record's name.")
    var name: String
    @Option(help: "Only if this is its version.")
    var ifVersion: String?

    func run(in session: Session) async throws {
        let request = DaemonRequest.delete(.deletion(name, ifVersion: ifVersion), zone: zone)
        try await session.show(request, as: Record.self) { "Deleted \(Table.visible($0.name))." }
    }
}
