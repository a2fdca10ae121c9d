import ArgumentParser

/// Prints the script that a shell needs to complete command lines.
struct Completions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the completion script of a shell.",
        discussion: "EXAMPLE:\n  kairan completions bash > /etc/bash_completion.d/kairan"
    )

    /// The shells that can be served.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() async throws {
        guard let shell = CompletionShell(rawValue: shell.rawValue) else { throw ValidationError("Unknown shell.") }
        try Terminal().print(PeerControl.completionScript(for: shell))
    }
}
