import Foundation

/// The comments of the repository's Swift files and the prose of its documents, read from disk.
struct ProseTree {
    /// One line without its code.
    struct Line: Equatable {
        /// From 1.
        var number: Int
        var text: String
    }

    struct File {
        var path: String
        var lines: [Line]
    }

    /// The other folders have no such files, except for those that a build leaves there.
    private static let folders: Set<String> = [
        "Benchmarks", "Examples", "Fuzz", "Models", "Mutation", "Sources", "Tests", "docs",
    ]

    let files: [File]

    /// Reads all Swift and Markdown files, without hidden ones and without symbolic links, whose targets are read anyway.
    init() throws {
        let root =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path(percentEncoded: false) + "/"
        let manager = FileManager.default
        var files: [File] = []
        var folders = [""]
        while let folder = folders.popLast() {
            for name in try manager.contentsOfDirectory(atPath: root + folder) where !name.hasPrefix(".") {
                let path = folder + name
                let type = (try? manager.attributesOfItem(atPath: root + path))?[.type] as? FileAttributeType
                if type == .typeDirectory, !folder.isEmpty || Self.folders.contains(name) {
                    folders.append(path + "/")
                }
                guard type == .typeRegular else { continue }
                if name.hasSuffix(".swift") {
                    let text = try String(contentsOfFile: root + path, encoding: .utf8)
                    files.append(File(path: path, lines: Self.comments(in: text)))
                } else if name.hasSuffix(".md") {
                    let text = try String(contentsOfFile: root + path, encoding: .utf8)
                    files.append(File(path: path, lines: Self.prose(in: text)))
                }
            }
        }
        self.files = files.sorted { $0.path < $1.path }
    }

    /// The comments of a Swift file, those behind code included.
    static func comments(in text: String) -> [Line] {
        var lines: [Line] = []
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("//") {
                lines.append(Line(number: index + 1, text: String(trimmed.drop { $0 == "/" })))
            } else if let range = line.range(of: " // "), !line[range.lowerBound...].contains("\"") {
                lines.append(Line(number: index + 1, text: String(line[range.upperBound...])))
            }
        }
        return lines
    }

    /// The prose of a Markdown document, with a backquote in place of each inline code.
    static func prose(in text: String) -> [Line] {
        var lines: [Line] = []
        var isCode = false
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if line.trimmingCharacters(in: .whitespaces).hasPrefix("```") {
                isCode.toggle()
            } else if !isCode {
                let parts = line.components(separatedBy: "`")
                let kept = stride(from: 0, to: parts.count, by: 2).map { parts[$0] }
                lines.append(Line(number: index + 1, text: kept.joined(separator: " ` ")))
            }
        }
        return lines
    }
}
