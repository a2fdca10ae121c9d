import ArgumentParser
import FileRecords
import KairanClient

/// Lists conflicts.
struct Conflicts: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "List records whose concurrent writes disagree.",
        discussion: """
            Files that lost a conflict between folders are listed behind the records: each is a file of its own, beside the one \
            that it is another version of. With --json they are elements of the array that have `conflict_of`.

            EXAMPLE:
              kairan conflicts notes
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zoneOrAll, completion: .zones)
    var zone: String?

    func run(in session: Session) async throws {
        var documents: [JSONValue] = []
        var conflicts: [Conflict] = []
        var cursor: String?
        repeat {
            let request = DaemonRequest.conflicts(zone: zone, after: cursor, limit: Self.pageCount)
            let document = try await session.client.document(request)
            let page: ConflictPage = try DaemonClient.decode(document)
            if session.isJSON {
                documents += try RecordFile.json(document, name: "The answer")["conflicts"]?.elements ?? []
            } else {
                conflicts += page.conflicts
            }
            cursor = page.cursor
        } while cursor != nil
        let files = try await files(session.client)
        guard !session.isJSON else {
            return try session.terminal.print(line: JSONValue.array(documents + files.map { Self.json($0) }).encoded)
        }
        let style = await session.styleWithNames()
        try session.terminal.print(Self.text(conflicts, files: files, style: style))
    }

    private static let pageCount = 1_000

    /// The records of conflict files.
    private func files(_ client: DaemonClient) async throws -> [Record] {
        var zones: [String] = []
        if let zone { zones = [zone] } else { zones = try await client.zones().map(\.zone) }
        let query = RecordQuery(type: FileRecord.type, where: "\(FileRecord.Field.conflictOf) exists")
        var found: [Record] = []
        for zone in zones {
            do {
                var cursor: String?
                repeat {
                    let page = try await client.query(query, in: zone, limit: Self.pageCount, cursor: cursor)
                    found += page.records.filter { FileRecord($0)?.conflictOf != nil }
                    cursor = page.cursor
                } while cursor != nil
            } catch let error as KairanError where self.zone == nil && error.code == "zone.deleted" {
                // It went since the zones were listed.
            }
        }
        return found
    }

    /// A conflict file for programs.
    static func json(_ record: Record) -> JSONValue {
        let file = FileRecord(record)
        return [
            "zone": .string(record.zone), "name": .string(record.name), "path": .string(file?.path.text ?? ""),
            "conflict_of": .string(file?.conflictOf?.text ?? ""), "modified_by": .string(record.modifiedBy),
            "modified_at": .string(RFC3339.text(milliseconds: record.modifiedAt.roundedMilliseconds)),
        ]
    }

    /// Conflicts for people.
    static func text(_ conflicts: [Conflict], files: [Record] = [], style: Style) -> String {
        guard !conflicts.isEmpty || !files.isEmpty else { return style.dim("no conflicts") }
        let blocks = conflicts.map { conflict in
            let all = (conflict.siblings + [conflict.ancestor].compactMap(\.self)).map(\.version)
            let sides = conflict.siblings.map { side($0, of: all, mark: "", style: style) }
            let ancestor =
                conflict.ancestor.map { [side($0, of: all, mark: " (common ancestor)", style: style)] } ?? []
            let name = style.bold(Table.visible(conflict.name))
            return (["\(name)  \(style.dim("zone " + style.zone(conflict.zone)))"] + sides + ancestor)
                .joined(separator: "\n")
        }
        let choice = conflicts.isEmpty ? [] : ["`kairan resolve ZONE NAME --take VERSION` chooses a side."]
        let hint =
            files.isEmpty ? [] : ["Of a file and its conflict file, keep the one that you want, and delete the other."]
        return (blocks + choice + files.map { block($0, style: style) } + hint).joined(separator: "\n\n")
    }

    /// A conflict file: its path, and the file that it is another version of.
    private static func block(_ record: Record, style: Style) -> String {
        let file = FileRecord(record)
        let name = style.bold(Table.visible(file?.path.text ?? record.name))
        let other = Table.visible(file?.conflictOf?.text ?? "")
        return """
            \(name)  \(style.dim("zone " + style.zone(record.zone)))
              another version of \(other)\(style.dim(", by \(style.device(record.modifiedBy)), \(style.time(record.modifiedAt))"))
            """
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
