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
        try await session.show(.record(name, zone: zone, keys: keys.isEmpty ? nil : keys)) {
            Self.text($0, style: session.style)
        }
    }

    /// A record for people.
    static func text(_ record: Record, style: Style) -> String {
        let fields = record.fields.map { ($0.key, Words.value($0.value)) }
        let width = (fields.map(\.0.count).max() ?? 0) + 2
        var lines = ["\(style.bold(Table.visible(record.name)))  \(style.dim(Table.visible(record.type)))"]
        lines += fields.map { name, value in
            "  " + Table.visible(name) + String(repeating: " ", count: width - name.count) + value
        }
        let author = "written by \(style.id(record.modifiedBy)) at \(Words.time(record.modifiedAt))"
        lines.append(style.dim("version \(record.version), \(author)"))
        if record.conflicts > 0 {
            let count = Words.count(record.conflicts, "field has", "fields have")
            lines.append(style.warning("\(count) concurrent values that disagree: see kairan conflicts."))
        }
        return lines.joined(separator: "\n")
    }
}
