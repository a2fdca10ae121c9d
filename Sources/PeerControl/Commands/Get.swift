import ArgumentParser
import KairanClient

/// Shows a record.
struct Get: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a record.",
        discussion: "EXAMPLE:\n  kairan get notes n1 --json | jq .fields"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Argument(help: "The record's name.")
    var name: String
    @Option(name: .customLong("only"), help: "Show this field and no other; may be repeated.")
    var keys: [String] = []

    func run(in session: Session) async throws {
        let document = try await session.client.document(.record(name, zone: zone, keys: keys.isEmpty ? nil : keys))
        let style = await session.styleWithNames()
        try session.show(document: document) { Self.text($0, style: style) }
    }

    /// A record for people.
    static func text(_ record: Record, style: Style) -> String {
        let fields = record.fields.map { ($0.key, Words.value($0.value)) }
        let width = (fields.map(\.0.count).max() ?? 0) + 2
        var lines = ["\(style.bold(Table.visible(record.name)))  \(style.dim(Table.visible(record.type)))"]
        lines += fields.map { name, value in
            "  " + Table.visible(name) + String(repeating: " ", count: width - name.count) + value
        }
        let author = "written by \(style.device(record.modifiedBy)) at \(Words.time(record.modifiedAt))"
        lines.append(style.dim("version \(style.id(record.version)), \(author)"))
        if record.conflicts > 0 {
            let count = Words.count(record.conflicts, "field has", "fields have")
            lines.append(style.warning("\(count) concurrent values that disagree: see kairan conflicts."))
        }
        return lines.joined(separator: "\n")
    }
}
