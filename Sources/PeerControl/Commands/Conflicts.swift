import ArgumentParser
import KairanClient

/// Lists conflicts.
struct Conflicts: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "List records whose concurrent writes disagree.",
        discussion: "EXAMPLE:\n  kairan conflicts notes"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zoneOrAll, completion: .zones)
    var zone: String?

    func run(in session: Session) async throws {
        let document = try await session.client.document(.conflicts(zone: zone))
        let style = await session.styleWithNames()
        try session.show(document: document) { Self.text($0, style: style) }
    }

    /// Conflicts for people.
    static func text(_ conflicts: [Conflict], style: Style) -> String {
        guard !conflicts.isEmpty else { return style.dim("no conflicts") }
        let blocks = conflicts.map { conflict in
            let all = (conflict.siblings + [conflict.ancestor].compactMap(\.self)).map(\.version)
            let sides = conflict.siblings.map { side($0, of: all, mark: "", style: style) }
            let ancestor =
                conflict.ancestor.map { [side($0, of: all, mark: " (common ancestor)", style: style)] } ?? []
            let name = style.bold(Table.visible(conflict.name))
            return (["\(name)  \(style.dim("zone " + style.zone(conflict.zone)))"] + sides + ancestor)
                .joined(separator: "\n")
        }
        return blocks.joined(separator: "\n\n") + "\n\n`kairan resolve ZONE NAME --take VERSION` chooses a side."
    }

    /// A side: the beginning of its version that `--take` takes, its author and its fields.
    private static func side(_ sibling: Sibling, of all: [String], mark: String, style: Style) -> String {
        let fields = sibling.fields.map { name, value in
            "    \(Table.visible(name)) = \(Words.value(value))"
        }
        let version = style.showsWholeIDs ? sibling.version : Words.short(sibling.version, of: all)
        let head = "  \(version) \(style.dim("by " + style.device(sibling.by) + mark))"
        return ([head] + fields).joined(separator: "\n")
    }
}
