import ArgumentParser
import KairanClient

/// Ends a conflict.
struct Resolve: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "End a conflict with one side, or with fields of your own.",
        discussion: """
            With fields it also replaces what of a record cannot be read here, since its key is lost.

            EXAMPLES:
              kairan resolve notes n1 --take 9ab0…
              kairan resolve notes n1 --file merged.json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name.", completion: .zones)
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
