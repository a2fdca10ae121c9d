import Foundation

/// The names by which documents refer to code: files and folders, types and their members.
struct DeclaredNames {
    /// The forms of a name.
    enum Form {
        /// `Folder/File.swift`, `Folder`, from the root of the repository, `Sources` or `Tests`.
        case path
        /// `File.swift`.
        case file
        /// `+Topic`, of files `Type+Topic.swift`.
        case topic
        /// `Type` or `Type.member`; also a target, written in Swift or in C.
        case declaration
    }

    /// The declarations of one file.
    private struct File {
        var types: Set<String> = []
        var members: Set<String> = []
    }

    private static let typeWords: Set<String> = [
        "struct", "enum", "class", "actor", "protocol", "extension", "typealias",
    ]
    private static let memberWords: Set<String> = ["func", "let", "var", "case"]

    private let root: String
    private let files: [File]
    private let types: Set<String>
    private let fileNames: Set<String>

    /// Reads all sources.
    init() throws {
        root =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path(percentEncoded: false) + "/"
        let sources = try SourceTree("Sources").files
        let tests = try SourceTree("Tests").files
        files = sources.map { Self.declarations(in: $0.lines) }
        types = files.reduce(into: Set((sources + tests).map(\.target))) { $0.formUnion($1.types) }
        fileNames = Set((sources + tests).compactMap { $0.path.split(separator: "/").last.map(String.init) })
    }

    /// The form of the name that a text of inline code is; `nil` for other texts, such as commands.
    static func form(of text: String) -> Form? {
        guard let first = text.first, first != "/", !text.contains(where: \.isWhitespace) else { return nil }
        if text.contains("/") || text.hasSuffix(".md") { return .path }
        if text.hasSuffix(".swift") { return .file }
        if first == "+" { return .topic }
        let isName = first.isUppercase && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." }
        return isName ? .declaration : nil
    }

    /// Whether a name of a form is one of the repository's.
    func contains(_ name: String, as form: Form) -> Bool {
        switch form {
        case .path:
            return ["", "Sources/", "Tests/"].contains { exists($0 + name) }
        case .file: return fileNames.contains(name)
        case .topic: return fileNames.contains { $0.hasSuffix(name + ".swift") }
        case .declaration:
            let parts = name.split(separator: ".").map(String.init)
            // A folder of the repository has the form of a type's name.
            guard parts.count == 2 else {
                return types.contains(name) || exists(name) || exists("Sources/" + name)
            }
            return files.contains { file in
                file.types.contains(parts[0]) && (file.members.contains(parts[1]) || file.types.contains(parts[1]))
            }
        }
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + path) }

    private static func declarations(in lines: [String]) -> File {
        var file = File()
        for line in lines {
            let words = SourceTree.withoutComment(line).utf8.split { !isNameByte($0) }
            for (word, name) in zip(words, words.dropFirst()) {
                let keyword = String(Substring(word))
                if typeWords.contains(keyword) {
                    file.types.insert(String(Substring(name)))
                } else if memberWords.contains(keyword) {
                    file.members.insert(String(Substring(name)))
                }
            }
        }
        return file
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= 0x61 && lower <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F || byte >= 0x80
    }
}
