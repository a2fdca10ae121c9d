import ArgumentParser
import KairanClient

/// Finds records.
struct QueryCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Find the records of one type that meet a condition.",
        discussion: """
            The condition compares fields with values: = != < <= > >=, in (…), begins with, contains, \
            between … and …, matches "words", exists, is null, near(field, latitude, longitude, metres), and, or, not. \
            System fields begin with @: @name, @creator, @modifier, @modified_at, @parent, @conflicts. In the shell, \
            put it between single quotation marks.

            EXAMPLES:
              kairan query notes --type Note --where 'priority >= 3 and title begins with "Re: "'
              kairan query notes --type Note --sort -@modified_at --sort title --limit 20
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Option(help: "The type of the records.")
    var type: String
    @Option(name: .customLong("where"), help: "The condition; all records of the type by default.")
    var predicate: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: "A field to sort by, with - before it for the largest first; may be repeated."
    )
    var sort: [String] = []
    @Option(help: "The maximum number to show, 1 to 1000.")
    var limit = 200
    @Option(help: "The cursor at the end of the previous page.")
    var cursor: String?
    @Flag(name: .customLong("internal"), help: "Accept a type of internal records.")
    var showsInternal = false

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("The limit must be 1 to 1000.") }
    }

    func run(in session: Session) async throws {
        // A page looks at a bounded number of records, and may have few of them, or none, although more follow.
        var query = RecordQuery(type: type, where: predicate, sort: sort)
        query.showsInternal = showsInternal
        var records: [JSONValue] = []
        var cursor = cursor
        repeat {
            let request = DaemonRequest.query(query, zone: zone, limit: limit - records.count, cursor: cursor)
            let page = try RecordFile.json(try await session.client.document(request), name: "The answer")
            records += page["records"]?.elements ?? []
            cursor = page["cursor"]?.text
        } while cursor != nil && records.count < limit
        let whole: JSONValue = ["records": .array(records), "cursor": cursor.map { .string($0) } ?? .null]
        try session.show(document: whole.encoded) { Self.text($0, style: session.style) }
    }

    /// An answer for people.
    static func text(_ answer: QueryAnswer, style: Style) -> String {
        var table = Table([.text("NAME"), .text("MODIFIED"), .text("FIELDS")])
        for record in answer.records {
            let fields = record.fields.map { "\($0.key)=\(Words.value($0.value))" }
            table.add([
                Table.Cell(record.name), Table.Cell(style.time(record.modifiedAt)),
                Table.Cell(fields.joined(separator: " ")),
            ])
        }
        let more = answer.cursor.map { "\n\n\(style.dim("more with --cursor")) \($0)" } ?? ""
        return table.text(style: style, empty: "no such records") + more
    }
}
