import ArgumentParser

/// The consent to an irreversible action, as given on the command line.
struct ConsentOption: ParsableArguments {
    @Flag(
        name: .customLong("yes"),
        help: "Do it without asking; needed with --json, and where nobody sits at a terminal."
    )
    var isGiven = false
}
