import ArgumentParser

/// A verb that there is not, and the one that may be meant.
struct UnknownVerb: Hashable {
    /// The typed word, with the verbs before it: `kairan zone lst`.
    var typed: String
    /// The command that is nearest to it; `nil` when none is near.
    var nearest: String?
    /// The command whose help lists the existing verbs.
    var help: String

    /// Looks for the first word of a command line that should be a verb and is none.
    /// - Parameters:
    ///   - arguments: The command line, with its options behind the verbs.
    ///   - root: The program.
    /// - Returns: `nil` when all verbs are known, or the next word is no verb.
    static func find(in arguments: [String], of root: any ParsableCommand.Type) -> UnknownVerb? {
        var command = root
        var path = [root._commandName]
        for word in arguments {
            let verbs = command.configuration.subcommands
            // A command with a default one takes the word as an argument of that.
            guard !word.hasPrefix("-"), !verbs.isEmpty, word != "help" else { return nil }
            if let verb = verbs.first(where: { $0._commandName == word }) {
                command = verb
                path.append(word)
                continue
            }
            guard command.configuration.defaultSubcommand == nil else { return nil }
            let near = verbs.map { (name: $0._commandName, distance: distance($0._commandName, word)) }
                .filter { $0.distance <= max(1, min($0.name.count, word.count) / 3) }
                .min { $0.distance < $1.distance }
            let beginning = path.joined(separator: " ")
            return UnknownVerb(
                typed: beginning + " " + word,
                nearest: near.map { beginning + " " + $0.name },
                help: (path.prefix(1) + ["help"] + path.dropFirst()).joined(separator: " ")
            )
        }
        return nil
    }

    /// The refusal of the command line.
    var refusal: InputError {
        InputError(
            detail: "There is no command `\(Table.visible(typed))`.",
            fix: (nearest.map { "Did you mean `\($0)`? " } ?? "") + "`\(help)` lists all.",
            code: "usage",
            title: "The command line is not valid",
            exitCode: 64  // EX_USAGE
        )
    }

    /// The number of characters to insert, remove, replace, or exchange with the next one, to turn one word into
    /// another.
    /// - Complexity: O(product of the lengths).
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                var best = min(rows[i][j + 1], row[j]) + 1
                best = min(best, rows[i][j] + (first[i] == second[j] ? 0 : 1))
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
