import Foundation
import KairanClient
import Synchronization

struct Output {
    let isJSON: Bool

    func show(_ value: some Encodable, _ text: @autoclosure () -> String) throws {
        guard isJSON else {
            line(Self.clean(text()))
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Written at once, also into a pipe.
    func line(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Shows rows with aligned cells, or a JSON document for each.
    func table(_ lines: [PhotoLine]) throws {
        if isJSON {
            for line in lines { try show(line, "") }
            return
        }
        guard !lines.isEmpty else {
            line("The album has no photos yet: `kairan-photos add` adds some.")
            return
        }
        let rows = [PhotoLine.headings] + lines.map { $0.cells.map(Self.clean) }
        let widths = PhotoLine.headings.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            var text = cells.joined(separator: "  ")
            while text.hasSuffix(" ") { text.removeLast() }
            line(text)
        }
    }

    // MARK: Progress

    private struct ProgressLine: Codable {
        var event = "progress"
        var photo: String
        var percent: Int
    }

    /// A meter that shows each percent of a transfer: as a JSON document, or at a terminal in one line.
    func meter(_ photo: String) -> PercentMeter {
        let output = self
        return PercentMeter { percent in output.progress(photo, percent) }
    }

    private func progress(_ photo: String, _ percent: Int) {
        if isJSON {
            // A document that cannot be made is left out: that of the outcome follows.
            try? show(ProgressLine(photo: photo, percent: percent), "")
        } else if isatty(STDERR_FILENO) == 1 {
            let end = percent == 100 ? "\n" : ""
            FileHandle.standardError.write(Data("\r\(Self.clean(photo)): \(percent) %\(end)".utf8))
        }
    }

    // MARK: Text

    static func size(_ byteCount: UInt64) -> String {
        guard byteCount >= 1_024 else { return "\(byteCount) B" }
        var (size, units) = (Double(byteCount) / 1_024, ["KiB", "MiB", "GiB"][...])
        while size >= 1_024, units.count > 1 {
            size /= 1_024
            units.removeFirst()
        }
        return String(format: "%.1f ", size) + (units.first ?? "")
    }

    /// Removes characters that would control the terminal, because the text comes from another person.
    static func clean(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control,
                        .format where scalar != "\u{200D}":
                        " "
                    default: scalar
                    }
                }
            )
        )
    }
}

/// Reports each whole percent of a transfer once.
final class PercentMeter: Sendable {
    private let last = Mutex<Int?>(nil)
    private let report: @Sendable (Int) -> Void

    init(report: @escaping @Sendable (Int) -> Void) { self.report = report }

    func take(_ progress: TransferProgress) {
        let share = progress.total == 0 ? 1 : Double(progress.byteCount) / Double(progress.total)
        let percent = Int(min(share, 1) * 100)
        let isNew = last.withLock { last in
            defer { last = percent }
            return last != percent
        }
        if isNew { report(percent) }
    }
}
