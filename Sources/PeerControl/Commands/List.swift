import ArgumentParser
import KairanClient

/// Lists records.
struct List: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the records of a zone by name.",
        discussion: "With --json it is one array.\n\nEXAMPLE:\n  kairan ls notes --limit 20"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Option(help: "Start after this name.")
    var after: String?
    @Option(help: "The maximum number to show; all by default.")
    var limit: Int?
    @Flag(
        name: .customLong("internal"),
        help: "Also internal records: messages, receipts, prekeys and relays."
    )
    var showsInternal = false

    private static let pageCount = 500

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("The limit must be at least 1.") }
    }

    func run(in session: Session) async throws {
        var rest = limit ?? .max
        var next = after
        var table = Table([.text("NAME"), .text("TYPE"), .text("MODIFIED"), .text("BY"), .text("CONFLICTS")])
        var isFirst = true
        let style = await session.styleWithNames()
        repeat {
            // A table shows no fields.
            let request = DaemonRequest.records(
                zone: zone,
                after: next,
                limit: min(rest, Self.pageCount),
                keys: session.isJSON ? nil : [],
                showsInternal: showsInternal
            )
            let document = try await session.client.document(request)
            let page: (count: Int, next: String?)
            if session.isJSON {
                page = try Self.print(document, isFirst: isFirst, on: session.terminal)
            } else {
                let records: RecordPage = try DaemonClient.decode(document)
                for record in records.records { table.add(Self.row(record, style)) }
                page = (records.records.count, records.next)
            }
            isFirst = isFirst && page.count == 0
            rest -= page.count
            next = page.next
        } while next != nil && rest > 0
        if session.isJSON {
            try session.terminal.print(isFirst ? "[]" : "]")
        } else {
            try session.terminal.print(table.text(style: session.style, empty: "no records; `kairan put` makes one"))
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

    private static func row(_ record: Record, _ style: Style) -> [Table.Cell] {
        [
            Table.Cell(record.name), Table.Cell(record.type), Table.Cell(style.time(record.modifiedAt)),
            Table.Cell(style.device(record.modifiedBy)),
            record.conflicts > 0 ? Table.Cell("\(record.conflicts)") { $0.warning($1) } : "",
        ]
    }
}
