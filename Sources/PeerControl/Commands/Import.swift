import ArgumentParser
import KairanClient

/// Saves any number of records.
struct Import: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save any number of records, one JSON object a line.",
        discussion: """
            Each line is saved for itself; what is reported as saved is on disk. With --json the progress is printed \
            line by line, with numbers that count from the beginning.

            EXAMPLE:
              kairan import notes < export.ndjson
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name.", completion: .zones)
    var zone: String
    @Option(help: "The file with the records; standard input by default.", completion: .file())
    var file: String?

    func run(in session: Session) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let input = try InputChunks(path: file)
        var last: ImportProgress?
        defer { session.terminal.endProgress() }
        for try await element in try await session.client.importDocuments(input, into: zone) {
            last = element.progress
            if session.isJSON {
                try session.terminal.print(line: element.document)
            } else {
                Self.report(element.progress, since: clock.now - start, on: session.terminal)
            }
        }
        session.terminal.endProgress()
        let saved = last?.saved ?? 0
        let failed = last?.failed ?? 0
        if !session.isJSON {
            try session.terminal.print(Self.text(saved: saved, failed: failed, in: clock.now - start))
        }
        if failed > 0 { throw ExitCode(1) }
    }

    private static func report(_ progress: ImportProgress, since elapsed: Duration, on terminal: Terminal) {
        if !progress.errors.isEmpty { terminal.endProgress() }
        for failure in progress.errors {
            terminal.printError("line \(failure.line): \(failure.detail) [\(failure.code)]")
        }
        terminal.showProgress(text(saved: progress.saved, failed: progress.failed, in: elapsed))
    }

    /// How far it is, and how fast.
    static func text(saved: Int, failed: Int, in elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        let rate = seconds > 0 ? Int((Double(saved) / seconds).rounded()) : 0
        let refused = failed > 0 ? ", \(failed) refused" : ""
        return "Saved \(Words.count(saved, "record", "records"))\(refused), \(rate) a second."
    }
}
