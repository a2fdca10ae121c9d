import FileRecords
import Importing
import KairanClient

/// An import of files, for people and programs.
enum ImportText {
    // MARK: People

    /// How far an import is: by bytes, on which its time depends.
    static func bar(_ progress: FolderProgress, in seconds: Double) -> ProgressBar {
        let (done, all) = (Int(clamping: progress.byteCount), Int(clamping: progress.byteTotal))
        let files = "\(progress.fileCount) of \(Words.count(progress.fileTotal, "file", "files"))"
        return ProgressBar(
            amount: "Imported \(files), \(Words.size(done)) of \(Words.size(all))",
            count: done,
            share: all > 0 ? Double(done) / Double(all) : nil,
            seconds: seconds,
            isOfBytes: true
        )
    }

    /// Everything that was not imported, one a line.
    static func table(_ outcomes: [FileOutcome], style: Style) -> String {
        var table = Table([.text("NOT IMPORTED"), .text("REASON")])
        for outcome in outcomes {
            let reason = outcome.obstacle?.description ?? ""
            switch outcome.kind {
            case .leftOut: table.add([Table.Cell(outcome.source), Table.Cell(reason) { $0.dim($1) }])
            default: table.add([Table.Cell(outcome.source), Table.Cell(reason)])
            }
        }
        return table.text(style: style, empty: "everything was imported")
    }

    /// The numbers, as sentences.
    static func text(_ summary: ImportSummary, isDryRun: Bool) -> String {
        var sentences: [String] = []
        let (added, changed, described) = (summary.count(.added), summary.count(.changed), summary.count(.described))
        if isDryRun {
            let (new, unread) = (summary.count(.new), summary.count(.unread))
            sentences.append("Would import \(files(new)) without a record, and compare \(files(unread)) with theirs.")
        } else {
            let parts = [(added, "new"), (changed, "changed"), (described, "with another time")]
                .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            let size = summary.byteCount > 0 ? ", \(Words.size(Int(clamping: summary.byteCount)))" : ""
            let detail = parts.isEmpty ? "" : " (\(parts.joined(separator: ", "))\(size))"
            sentences.append("Imported \(files(added + changed + described))\(detail).")
        }
        let unchanged = summary.count(.unchanged)
        if unchanged > 0 { sentences.append("\(unchanged) \(unchanged == 1 ? "was" : "were") there already.") }
        let refused = summary.count(.refused)
        if refused > 0 {
            let again = summary.temporaryCount == refused ? "; another attempt may do it" : ""
            sentences.append("\(files(refused)) could not be imported\(again).")
        }
        let leftOut = summary.count(.leftOut)
        if leftOut > 0 {
            sentences.append("Left out \(Words.count(leftOut, "thing that is", "things that are")) no file.")
        }
        if summary.hiddenCount > 0 {
            let names = Words.count(summary.hiddenCount, "hidden name", "hidden names")
            sentences.append("Passed over \(names) (--hidden).")
        }
        if summary.toolFailureCount > 0 {
            sentences.append("Of \(files(summary.toolFailureCount)) no metadata or no thumbnail could be made.")
        }
        return sentences.joined(separator: " ")
    }

    private static func files(_ count: Int) -> String { Words.count(count, "file", "files") }

    // MARK: Programs

    /// Something that happened.
    static func json(_ notice: Importer.Notice) -> JSONValue {
        switch notice {
        case .shortage(let shortage):
            ["notice": "tools.missing", "detail": .string(shortage.description)]
        case .outcome(let outcome): json(outcome)
        }
    }

    private static func json(_ outcome: FileOutcome) -> JSONValue {
        var members = [
            JSONMember("file", .string(outcome.source)),
            JSONMember("record", outcome.path.map { .string($0.recordName) } ?? .null),
            JSONMember("outcome", .string(outcome.kind.rawValue)),
            JSONMember("size", .integer(Int64(clamping: outcome.size))),
        ]
        if let obstacle = outcome.obstacle {
            members += [
                JSONMember("code", .string(obstacle.code)), JSONMember("detail", .string(obstacle.description)),
                JSONMember("retryable", .bool(obstacle.standing == .temporary)),
            ]
        }
        return .object(members)
    }

    /// The numbers.
    static func json(_ summary: ImportSummary) -> JSONValue {
        let counts = FileOutcome.Kind.allCases.map { kind in
            JSONMember(kind.rawValue, .integer(Int64(summary.count(kind))))
        }
        return .object(
            counts + [
                JSONMember("refused_for_now", .integer(Int64(summary.temporaryCount))),
                JSONMember("hidden", .integer(Int64(summary.hiddenCount))),
                JSONMember("without_metadata", .integer(Int64(summary.toolFailureCount))),
                JSONMember("bytes", .integer(Int64(clamping: summary.byteCount))),
                JSONMember("complete", true),
            ]
        )
    }
}
