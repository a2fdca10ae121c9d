import FileRecords
import Folders
import KairanClient

/// Reports about folders, for people and for programs.
enum FolderText {
    /// A report on one line; `nil` for one that people need not read.
    static func line(_ report: FolderReport, style: Style) -> String? {
        switch report {
        case .news(let news): line(news, style: style)
        case .planned(let decision): line(decision, style: style)
        case .inStep(let files, let failed):
            if failed > 0 {
                style.warning("\(Words.count(files, "file", "files")) in step, \(failed) not: see the lines above")
            } else {
                style.good("\(Words.count(files, "file", "files")) in step")
            }
        case .waiting(let reason): style.warning("waiting for the daemon: \(Table.visible(reason))")
        }
    }

    private static func line(_ news: FolderNews, style: Style) -> String? {
        switch news {
        case .uploaded(let path): "sent \(Table.visible(path.text))"
        case .downloaded(let path): "received \(Table.visible(path.text))"
        // In the first run of a folder these may be thousands, with which nothing happens.
        case .adopted: nil
        case .marked(let path, let isExecutable):
            "\(Table.visible(path.text)) is \(isExecutable ? "executable" : "not executable any more")"
        case .trashed(let path): "moved to the trash \(Table.visible(path.text))"
        case .deleted(let path): "deleted \(Table.visible(path.text))"
        case .conflict(let path, let kept):
            style.warning(
                "conflict: \(Table.visible(path.text)) was changed on both sides; this folder's version is now "
                    + Table.visible(kept.text)
            )
        case .split(let path, let kept):
            style.warning(
                "conflict: \(Table.visible(path.text)) was changed on several machines"
                    + (kept.isEmpty ? "" : "; see also " + kept.map { Table.visible($0.text) }.joined(separator: ", "))
            )
        case .problem(let path, let reason): style.bad("not in step: \(Table.visible(path)): \(Table.visible(reason))")
        }
    }

    private static func line(_ decision: FolderDecision, style: Style) -> String? {
        let path = Table.visible(decision.path.text)
        return switch decision {
        case .upload, .write: "would send \(path)"
        case .download: "would receive \(path)"
        case .mark: "would change the mark of execution of \(path)"
        case .trash: "would move to the trash \(path)"
        case .deleteRecord: "would delete \(path)"
        case .keepBoth(_, _, let kept): style.warning("would keep both: \(path), and as \(Table.visible(kept.text))")
        case .inspect: "would compare \(path)"
        case .split: style.warning("would end the conflict of \(path)")
        case .hash, .look, .ask: nil
        }
    }

    /// A report as a line of JSON.
    static func json(_ report: FolderReport) -> JSONValue {
        switch report {
        case .news(let news): json(news)
        case .planned(let decision):
            ["event": "planned", "action": .string(word(decision)), "path": .string(decision.path.text)]
        case .inStep(let files, let failed):
            ["event": "in_step", "files": .integer(Int64(files)), "failed": .integer(Int64(failed))]
        case .waiting(let reason): ["event": "waiting", "reason": .string(reason)]
        }
    }

    private static func json(_ news: FolderNews) -> JSONValue {
        switch news {
        case .uploaded(let path): ["event": "uploaded", "path": .string(path.text)]
        case .downloaded(let path): ["event": "downloaded", "path": .string(path.text)]
        case .adopted(let path): ["event": "adopted", "path": .string(path.text)]
        case .marked(let path, let isExecutable):
            ["event": "marked", "path": .string(path.text), "executable": .bool(isExecutable)]
        case .trashed(let path): ["event": "trashed", "path": .string(path.text)]
        case .deleted(let path): ["event": "deleted", "path": .string(path.text)]
        case .conflict(let path, let kept):
            ["event": "conflict", "path": .string(path.text), "kept": [.string(kept.text)]]
        case .split(let path, let kept):
            ["event": "conflict", "path": .string(path.text), "kept": .array(kept.map { .string($0.text) })]
        case .problem(let path, let reason):
            ["event": "problem", "path": .string(path), "reason": .string(reason)]
        }
    }

    private static func word(_ decision: FolderDecision) -> String {
        switch decision {
        case .hash: "hash"
        case .upload, .write: "upload"
        case .download: "download"
        case .mark: "mark"
        case .trash: "trash"
        case .deleteRecord: "delete"
        case .keepBoth: "keep_both"
        case .inspect: "compare"
        case .look: "look"
        case .split: "split"
        case .ask: "ask"
        }
    }

    /// The trash of a folder.
    static func list(_ files: [TrashedFile], style: Style) -> String {
        var table = Table([.text("DELETED"), .number("SIZE"), .text("PATH")])
        for file in files {
            table.add([
                Table.Cell(file.day), Table.Cell(Words.size(Int(clamping: file.size))), Table.Cell(file.path.text),
            ])
        }
        return table.text(style: style, empty: "the trash is empty")
    }

    /// A file in the trash.
    static func json(_ file: TrashedFile) -> JSONValue {
        [
            "path": .string(file.path.text), "day": .string(file.day), "size": .integer(Int64(clamping: file.size)),
            "file": .string("\(FolderRoot.trashName)/\(file.bin)/\(file.path.text)"),
        ]
    }
}
