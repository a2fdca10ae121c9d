import ArgumentParser
import KairanClient

/// Saves any number of records.
struct Import: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save any number of records, one JSON object a line.",
        discussion: """
            Each line is saved separately; a record that is reported as saved is on disk. With --json the progress is printed \
            line by line, with totals since the beginning.

            EXAMPLE:
              kairan import notes < export.ndjson
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Option(help: "The file with the records; standard input by default.", completion: .file())
    var file: String?

    func run(in session: Session) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let input = try InputChunks(path: file)
        let (meter, byteCount) = (InputMeter(), input.restByteCount)
        let pieces = input.map { piece in
            meter.note(piece)
            return piece
        }
        var last: ImportProgress?
        var display = ProgressDisplay(session)
        defer { display.end() }
        for try await element in try await session.client.importDocuments(pieces, into: zone) {
            last = element.progress
            if session.isJSON {
                try session.terminal.print(line: element.document)
                continue
            }
            let progress = element.progress
            if !progress.errors.isEmpty { display.end() }
            for failure in progress.errors {
                session.terminal.printError("line \(failure.line): \(failure.detail) [\(failure.code)]")
            }
            display.show { Self.bar(progress, meter, of: byteCount, in: $0).text }
        }
        display.end()
        let saved = last?.saved ?? 0
        let failed = last?.failed ?? 0
        if !session.isJSON {
            try session.terminal.print(Self.text(saved: saved, failed: failed, in: clock.now - start))
        }
        if failed > 0 { throw ExitCode(1) }
    }

    /// Formats the progress of an import.
    /// - Parameters:
    ///   - progress: The confirmed part.
    ///   - meter: The sent part.
    ///   - byteCount: The size of the input, if known.
    ///   - seconds: The time since the beginning.
    /// - Returns: The line for people.
    static func bar(
        _ progress: ImportProgress,
        _ meter: InputMeter,
        of byteCount: Int?,
        in seconds: Double
    ) -> ProgressBar {
        let refused = progress.failed > 0 ? ", \(progress.failed) refused" : ""
        let done = meter.byteCount(ofLines: progress.saved + progress.failed)
        return ProgressBar(
            amount: "Saved \(Words.count(progress.saved, "record", "records"))\(refused)",
            count: progress.saved,
            share: byteCount.flatMap { $0 > 0 ? done / Double($0) : nil },
            seconds: seconds
        )
    }

    /// The progress and the speed.
    static func text(saved: Int, failed: Int, in elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        let rate = seconds > 0 ? Int((Double(saved) / seconds).rounded()) : 0
        let refused = failed > 0 ? ", \(failed) refused" : ""
        return "Saved \(Words.count(saved, "record", "records"))\(refused), \(rate) a second."
    }
}
