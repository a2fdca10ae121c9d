import ArgumentParser
import KairanClient

/// Lists conflicts.
struct Conflicts: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "List records whose concurrent writes disagree.",
        discussion: "EXAMPLE:\n  kairan conflicts notes"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name; all zones by default.", completion: .zones)
    var zone: String?

    func run(in session: Session) async throws {
        try await session.show(.conflicts(zone: zone)) { Self.text($0, style: session.style) }
    }

    /// Conflicts for people.
    static func text(_ conflicts: [Conflict], style: Style) -> String {
        guard !conflicts.isEmpty else { return style.dim("no conflicts") }
        let blocks = conflicts.map { conflict in
            let sides = conflict.siblings.map { side($0, mark: "", style: style) }
            let ancestor = conflict.ancestor.map { [side($0, mark: " (what all started from)", style: style)] } ?? []
            let name = style.bold(Table.visible(conflict.name))
            return (["\(name)  \(style.dim("zone " + style.id(conflict.zone)))"] + sides + ancestor)
                .joined(separator: "\n")
        }
        return blocks.joined(separator: "\n\n") + "\n\n`kairan resolve ZONE NAME --take VERSION` chooses a side."
    }

    private static func side(_ sibling: Sibling, mark: String, style: Style) -> String {
        let fields = sibling.fields.map { name, value in
            "    \(Table.visible(name)) = \(Words.value(value))"
        }
        let head = "  \(sibling.version) \(style.dim("by " + style.id(sibling.by) + mark))"
        return ([head] + fields).joined(separator: "\n")
    }
}
