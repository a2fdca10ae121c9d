import Yams

/// The reason why a text is no YAML, as one sentence: the parser's own words have several lines, with a drawing of the place.
enum YAMLTrouble {
    /// Returns the sentence.
    /// - Parameters:
    ///   - path: The file, for messages.
    ///   - error: The parser's error.
    /// - Returns: The file, the line and the column, both from 1, and the problem.
    static func sentence(path: String, _ error: any Error) -> String {
        guard let error = error as? YamlError else { return "\(path): the file cannot be read as YAML" }
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            // A context without a place of its own is a part of the problem's sentence: "while scanning a simple key".
            let began = context.map { ", \(line($0.text)) that begins in line \($0.mark.line)" } ?? ""
            return "\(path):\(mark.line): column \(mark.column): not valid YAML: \(line(problem))\(began)"
        case .reader(let problem, let offset, _, let yaml):
            guard let offset else { return "\(path): not valid YAML: \(line(problem))" }
            let before = yaml.prefix(offset).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            let column = (before.last?.unicodeScalars.count ?? 0) + 1
            return "\(path):\(max(before.count, 1)): column \(column): not valid YAML: \(line(problem))"
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            return
                "\(path):\(context.mark.line): column \(context.mark.column): a key may occur only once in the mapping that begins here: \(keys)"
        case .memory: return "\(path): there is not enough memory for reading the file"
        case .no, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            return "\(path): the file cannot be read as YAML"
        }
    }

    /// The words on one line.
    private static func line(_ words: String) -> String {
        words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
