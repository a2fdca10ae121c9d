import ArgumentParser
import KairanClient

/// Makes several writes, all or none.
struct Batch: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make several writes, all or none.",
        discussion: """
            One JSON object a line: {"name": …, "type": …, "fields": {…}}, or {"name": …, "delete": true}. At most \
            1,024.

            EXAMPLE:
              kairan batch notes --file changes.ndjson
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Option(help: "The file with the writes; standard input by default.", completion: .file())
    var file: String?

    func run(in session: Session) async throws {
        let input = try InputChunks(path: file)
        let writes = try RecordFile.writes(await input.collect(limit: 16 << 20), name: input.title)
        try await session.show(.batch(writes, zone: zone, isAtomic: true), as: BatchOutcome.self) { outcome in
            "Saved \(Words.count(outcome.saved, "record", "records"))."
        }
    }
}
