import ArgumentParser

/// The consent to something that cannot be undone, as it is given on the command line.
struct ConsentOption: ParsableArguments {
    @Flag(
        name: .customLong("yes"),
        help: "Do it without asking; needed with --json, and where nobody sits at a terminal."
    )
    var isGiven = false
}
