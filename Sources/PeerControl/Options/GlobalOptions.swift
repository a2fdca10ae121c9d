import ArgumentParser

/// The options of every command, before or behind the verb.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket.",
            discussion: "Default: KAIRAN_SOCKET, else /run/kairan/kairand.sock, else your own daemon's.",
            valueName: "path"
        ),
        completion: .file()
    )
    var socket: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Show times in UTC, not relative to now.")
    var utc = false

    @Flag(help: "Show ids in full.")
    var full = false

    private static let flags = ["--json", "--utc", "--full"]

    func validate() throws {
        guard socket != "" else { throw ValidationError("The path of the socket is empty.") }
    }

    /// Moves these options behind everything else, where the verb's own parser takes them.
    ///
    /// They take effect wherever they stand before a `--`; an option without its value stays where it is and is
    /// reported by the parser.
    static func reordered(_ arguments: [String]) -> [String] {
        // The shell's requests for completions have a form of their own.
        if arguments.first?.hasPrefix("---") == true { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var global: [String] = []
        var rest: [String] = []
        var index = arguments.startIndex
        while index < end {
            let argument = arguments[index]
            if flags.contains(argument) || argument.hasPrefix("--socket=") {
                global.append(argument)
            } else if argument == "--socket", index + 1 < end {
                global += [argument, arguments[index + 1]]
                index += 1
            } else {
                rest.append(argument)
            }
            index += 1
        }
        return rest + global + arguments[end...]
    }
}
