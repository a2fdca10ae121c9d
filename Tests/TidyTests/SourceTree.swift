import Foundation

/// The package's own source files, read from disk.
struct SourceTree {
    struct File {
        var path: String
        var target: String
        var lines: [String]
    }

    let files: [File]

    /// Reads all Swift files below `Sources` or `Tests`.
    init(_ folder: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: folder)
        var files: [File] = []
        let walker = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        while let url = walker?.nextObject() as? URL {
            guard url.pathExtension == "swift" else { continue }
            let path = String(url.path().dropFirst(root.path().count)).trimmingCharacters(in: ["/"])
            let text = try String(contentsOf: url, encoding: .utf8)
            let target = path.split(separator: "/").first.map(String.init) ?? ""
            files.append(File(path: "\(folder)/\(path)", target: target, lines: text.components(separatedBy: "\n")))
        }
        self.files = files.sorted { $0.path < $1.path }
    }

    /// The places where a line without its comment contains a pattern.
    func places(of pattern: String, in targets: Set<String>? = nil) throws -> [String] {
        let expression = try Regex(pattern)
        return files.filter { targets?.contains($0.target) ?? true }.flatMap { file in
            file.lines.enumerated().compactMap { number, line in
                let code = Self.withoutComment(line)
                guard code.contains(expression) else { return nil }
                return "\(file.path):\(number + 1): \(line.trimmingCharacters(in: .whitespaces))"
            }
        }
    }

    static func withoutComment(_ line: String) -> String {
        let trimmed = line.trimmingCharacters(in: .whitespaces)
        if trimmed.hasPrefix("//") { return "" }
        guard let range = line.range(of: " // ") else { return line }
        return String(line[..<range.lowerBound])
    }
}
