import ArgumentParser

/// The consent to an irreversible action, as given on the command line.
struct ConsentOption: ParsableArguments {
    @Flag(
        name: .customLong("yes"),
        help: "Proceed without asking; needed with --json, and without a terminal."
    )
    var isGiven = false
}
